import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';

// biome-ignore lint/suspicious/noExplicitAny: properties of every shape.
export type Resources = Record<string, { Type: string; Properties?: any; DependsOn?: string[] }>;

/** To a logical id, and to an attribute of it unless it is by `Ref`. */
interface Reference {
  id: string;
  attribute?: string;
}

/** The reference that a value is, if it is one. */
const asReference = (value: unknown): Reference | undefined => {
  const { Ref, 'Fn::GetAtt': getAtt } = (value ?? {}) as {
    Ref?: string;
    'Fn::GetAtt'?: [string, string];
  };
  if (Ref !== undefined) return { id: Ref };
  return getAtt && { id: getAtt[0], attribute: getAtt[1] };
};

const database = loadAwsServiceSpecSync();
type Resource = ReturnType<typeof database.all<'resource'>>[number];
type Property = Resource['properties'][string];
const types = new Map(database.all('resource').map((one) => [one.cloudFormationType, one]));

/**
 * References that lead to something else than the property takes: a name where it takes an ARN, a queue
 * where it takes a role. By what the CDK's specification of CloudFormation says of each property.
 */
export const wrongReferences = (resources: Resources): string[] => {
  const problems: string[] = [];

  const hold = (where: string, property: Property, { id, attribute }: Reference) => {
    const target = types.get(resources[id]?.Type ?? '');
    if (!target || !property.relationshipRefs) return;
    const names = attribute ? [attribute] : (target.cfnRefIdentifier ?? target.primaryIdentifier);
    const found = `${target.cloudFormationType}.${names?.join('|')}`;
    const taken = property.relationshipRefs.map(
      (one) => `${one.cloudFormationType}.${one.propertyName}`,
    );
    if (taken.includes(found)) return;
    problems.push(`${where} is ${found}, and takes ${taken.join(', ')}`);
  };

  const holdValue = (where: string, property: Property, type: Property['type'], value: unknown) => {
    const reference = asReference(value);
    if (reference) hold(where, property, reference);
    else if (type.type === 'array' && Array.isArray(value)) {
      for (const one of value) holdValue(where, property, type.element, one);
    } else if (type.type === 'ref') {
      const { properties } = database.get('typeDefinition', type.reference.$ref);
      holdAll(where, properties, value as object);
    }
  };

  const holdAll = (where: string, properties: Resource['properties'], values: object) => {
    for (const [name, value] of Object.entries(values)) {
      const property = properties[name];
      if (property) holdValue(`${where}.${name}`, property, property.type, value);
    }
  };

  for (const [id, { Type, Properties = {} }] of Object.entries(resources)) {
    holdAll(id, types.get(Type)?.properties ?? {}, Properties);
  }
  return problems;
};

// biome-ignore lint/suspicious/noExplicitAny: properties of every shape.
export type Resources = Record<string, { Type: string; Properties?: any; DependsOn?: string[] }>;

/** A reference of a template: to a logical id, and to an attribute of it unless it is by `Ref`. */
export interface Reference {
  id: string;
  attribute?: string;
}

/** The reference that a value is, if it is one. */
export const asReference = (value: unknown): Reference | undefined => {
  const { Ref, 'Fn::GetAtt': getAtt } = (value ?? {}) as {
    Ref?: string;
    'Fn::GetAtt'?: [string, string];
  };
  if (Ref !== undefined) return { id: Ref };
  return getAtt && { id: getAtt[0], attribute: getAtt[1] };
};

const referencesIn = (value: unknown): Reference[] => {
  if (typeof value !== 'object' || value === null) return [];
  const reference = asReference(value);
  return reference ? [reference] : Object.values(value).flatMap(referencesIn);
};

/** The resources that one waits for when the stack is made: it refers to them, or depends on them. */
export const neededBy = (resources: Resources, id: string): string[] => {
  const { Properties, DependsOn = [] } = resources[id]!;
  const ids = [...referencesIn(Properties).map((reference) => reference.id), ...DependsOn];
  return [...new Set(ids)].filter((one) => one in resources);
};

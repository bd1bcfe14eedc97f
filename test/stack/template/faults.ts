import type { Resources } from './references.ts';
import { rolesOf } from './roles.ts';

export interface Template {
  Resources: Resources;
  Outputs: Record<string, unknown>;
}

/** A fault: what it is, the path and value that make it in a resource of a type, and how it is told. */
type Fault = [what: string, type: string, path: string, value: unknown, told: RegExp];

const lambda = 'AWS::Lambda::Function';

/** In place of a value: a reference to a resource of that type. */
class To {
  readonly type: string;
  readonly attribute: string | undefined;

  constructor(type: string, attribute?: string) {
    this.type = type;
    this.attribute = attribute;
  }
}

const role = 'Properties.Role';
const variables = 'Properties.Environment.Variables';
const statement = 'Properties.Policies.0.PolicyDocument.Statement.0';
const buckets = Array.from({ length: 100 }, (_, i) => `arn:aws:s3:::${'b'.repeat(100)}${i}`);

/** One that AWS's own validator finds, and one for each check of ours. */
export const faults: Fault[] = [
  ['an unknown property', lambda, 'Properties.Colour', 'blue', /'Colour' was unexpected/],
  [
    'a name as an ARN',
    lambda,
    role,
    new To('AWS::IAM::Role'),
    /Role.RoleName, and takes .*Role.Arn$/,
  ],
  [
    'a queue as a role',
    lambda,
    role,
    new To('AWS::SQS::Queue', 'Arn'),
    /Queue.Arn, and takes .*Role.Arn$/,
  ],
  ['text that is not ASCII', lambda, 'Properties.Description', 'Café', /^not ASCII: é$/],
  ['a variable of Lambda’s own', lambda, `${variables}.AWS_REGION`, 'eu', /sets AWS_REGION$/],
  ['too long variables', lambda, `${variables}.AUDIENCE`, 'v'.repeat(4000), /bytes of variables$/],
  ['too long policies', 'AWS::IAM::Role', `${statement}.Resource`, buckets, /1\d{4} characters of/],
];

/** Makes faults in a template, each in a resource of its own. */
export const makeFaults = (template: Template, all: readonly Fault[]): void => {
  // This one names each function that has a route: a function that had it would depend on itself.
  const taken = new Set(rolesOf(template.Resources, 'apigateway.amazonaws.com').keys());
  const take = (type: string): string => {
    const id = Object.entries(template.Resources).find(
      ([one, { Type }]) => Type === type && !taken.has(one),
    )![0];
    taken.add(id);
    return id;
  };
  for (const [, type, path, value] of all) {
    const names = path.split('.');
    const last = names.pop()!;
    // biome-ignore lint/suspicious/noExplicitAny: a way through properties of every shape.
    const at = names.reduce<any>((inner, name) => inner[name], template.Resources[take(type)]);
    at[last] = value instanceof To ? referenceTo(take(value.type), value.attribute) : value;
  }
};

const referenceTo = (id: string, attribute?: string) =>
  attribute ? { 'Fn::GetAtt': [id, attribute] } : { Ref: id };

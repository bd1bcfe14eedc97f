import type { Resources } from './references.ts';
import { rolesOf } from './roles.ts';

export interface Template {
  Resources: Resources;
  Outputs: Record<string, unknown>;
}

/** A fault: what it is, the path and value that make it in a resource of a type, and how it is told. */
type Fault = [what: string, type: string, path: string, value: unknown, told: RegExp];

const lambda = 'AWS::Lambda::Function';
const filter = 'AWS::Logs::MetricFilter';

/** In place of a value: a reference to a resource of that type. */
class To {
  readonly type: string;
  readonly attribute: string | undefined;

  constructor(type: string, attribute?: string) {
    this.type = type;
    this.attribute = attribute;
  }
}

const gone = undefined;

const variables = 'Properties.Environment.Variables';
const statement = 'Properties.Policies.0.PolicyDocument.Statement.0';
const buckets = Array.from({ length: 100 }, (_, i) => `arn:aws:s3:::${'b'.repeat(100)}${i}`);

/** Some that AWS's own validator finds, and one for each check of ours. */
export const faults: Fault[] = [
  ['an unknown type', filter, 'Type', 'AWS::Logs::Filter', /Unknown resource type/],
  ['an unknown property', lambda, 'Properties.Colour', 'blue', /'Colour' was unexpected/],
  ['a missing property', filter, 'Properties.FilterPattern', gone, /'FilterPattern' is a required/],
  ['too small a number', lambda, 'Properties.MemorySize', 127, /127 is less than the minimum/],
  ['a runtime that has ended', lambda, 'Properties.Runtime', 'nodejs12.x', /was deprecated on/],
  ['a dependency on nothing', lambda, 'DependsOn', ['Never'], /'Never' does not exist/],
  [
    'a name where an ARN is taken',
    lambda,
    'Properties.Role',
    new To('AWS::IAM::Role'),
    /Role is AWS::IAM::Role.RoleName, and takes AWS::IAM::Role.Arn$/,
  ],
  [
    'a queue where a role is taken',
    lambda,
    'Properties.Role',
    new To('AWS::SQS::Queue', 'Arn'),
    /Role is AWS::SQS::Queue.Arn, and takes AWS::IAM::Role.Arn$/,
  ],
  ['text that is not ASCII', lambda, 'Properties.Description', 'Café', /^not ASCII: é$/],
  ['a variable of Lambda’s own', lambda, `${variables}.AWS_REGION`, 'eu', /sets AWS_REGION$/],
  ['too long variables', lambda, `${variables}.AUDIENCE`, 'v'.repeat(4000), /bytes of variables$/],
  [
    'too long policies',
    'AWS::IAM::Role',
    `${statement}.Resource`,
    buckets,
    /1\d{4} characters of p/,
  ],
];

/** Those that AWS's validator does not tell beside others. */
export const lonelyFaults: Fault[] = [
  [
    'a reference to nothing',
    'AWS::Logs::MetricFilter',
    'Properties.LogGroupName',
    { Ref: 'Nothing' },
    /'Nothing' is not one of/,
  ],
  [
    'an attribute of nothing',
    lambda,
    'Properties.Role',
    { 'Fn::GetAtt': ['Nobody', 'Arn'] },
    /non-existent resource 'Nobody'/,
  ],
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
    if (value === gone) delete at[last];
    else at[last] = value instanceof To ? referenceTo(take(value.type), value.attribute) : value;
  }
};

const referenceTo = (id: string, attribute?: string) =>
  attribute ? { 'Fn::GetAtt': [id, attribute] } : { Ref: id };

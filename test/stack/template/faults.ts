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

export const faults: Fault[] = [
  ['an unknown type', filter, 'Type', 'AWS::Logs::Filter', /Unknown resource type/],
  ['an unknown property', lambda, 'Properties.Colour', 'blue', /'Colour' was unexpected/],
  ['… deep inside', lambda, 'Properties.TracingConfig.Modus', 'x', /'Modus' was unexpected/],
  ['a missing property', filter, 'Properties.FilterPattern', gone, /'FilterPattern' is a required/],
  [
    '… deep inside',
    'AWS::DynamoDB::Table',
    'Properties.StreamSpecification.StreamViewType',
    gone,
    /'StreamViewType' is a required/,
  ],
  ['a text for a number', lambda, 'Properties.Timeout', 'soon', /'soon' is not of type 'integer'/],
  ['a text for a list', lambda, 'Properties.Architectures', 'arm', /'arm' is not of type 'array'/],
  [
    'a value that is not in its list',
    lambda,
    'Properties.TracingConfig.Mode',
    'Sometimes',
    /'Sometimes' is not one of/,
  ],
  ['too small a number', lambda, 'Properties.MemorySize', 127, /127 is less than the minimum/],
  [
    'too great a number',
    'AWS::SQS::Queue',
    'Properties.MessageRetentionPeriod',
    1_209_601,
    /1209601 is greater than the maximum/,
  ],
  [
    'too long a name',
    lambda,
    'Properties.FunctionName',
    'n'.repeat(65),
    /'n{65}' does not match pattern/,
  ],
  [
    'a name with a blank',
    'AWS::Events::EventBus',
    'Properties.Name',
    'a bus',
    /'a bus' does not match pattern/,
  ],
  [
    'too long a description',
    lambda,
    'Properties.Description',
    'd'.repeat(257),
    /length 257 exceeds maximum 256/,
  ],
  ['a runtime that has ended', lambda, 'Properties.Runtime', 'nodejs12.x', /was deprecated on/],
  ['a dependency on nothing', lambda, 'DependsOn', ['Never'], /'Never' does not exist/],
  [
    'an attribute that there is not',
    lambda,
    'Properties.Role',
    new To('AWS::IAM::Role', 'Colour'),
    /'Colour' is not one of|Role is AWS::IAM::Role.Colour,/,
  ],
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
  [
    'a variable of Lambda’s own',
    lambda,
    'Properties.Environment.Variables.AWS_REGION',
    'eu-west-1',
    /sets AWS_REGION$/,
  ],
  [
    'more variables than Lambda takes',
    lambda,
    'Properties.Environment.Variables.AUDIENCE',
    'v'.repeat(4000),
    /has \d+ bytes of variables$/,
  ],
  [
    'longer policies than a role takes',
    'AWS::IAM::Role',
    'Properties.Policies.0.PolicyDocument.Statement.0.Resource',
    Array.from({ length: 100 }, (_, i) => `arn:aws:s3:::${'b'.repeat(100)}${i}`),
    /has 1\d{4} characters of policies$/,
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

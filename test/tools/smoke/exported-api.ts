// biome-ignore lint/suspicious/noExplicitAny: properties of every shape.
type Part = any;

export type Api = Part;

export interface Template {
  Resources: Record<string, { Type: string; Properties: Part }>;
}

const names: Record<string, string> = {
  'AWS::ApiGateway::RestApi': 'fake1api',
};

/** What AWS calls a resource of a template. */
export const physicalId = (id: string, { Type, Properties }: Template['Resources'][string]) =>
  Properties?.FunctionName ?? names[Type] ?? `Fake-${id}-4QW2`;

/** The API of a template as API Gateway exports it: every value known, and more than was imported. */
export const exportApi = ({ Resources }: Template): Api => {
  const arnOf = (id: string) => {
    const resource = Resources[id]!;
    const name = physicalId(id, resource);
    return resource.Type === 'AWS::IAM::Role'
      ? `arn:aws:iam::000000000000:role/${name}`
      : `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
  };
  const resolve = (value: Part): Part => {
    if (typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(resolve);
    if (value.Ref) return value.Ref === 'AWS::Region' ? 'us-east-1' : 'aws';
    if (value['Fn::GetAtt']) return arnOf(value['Fn::GetAtt'][0]);
    if (value['Fn::Join']) return resolve(value['Fn::Join'][1]).join('');
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one)]));
  };
  const [{ Properties }] = Object.values(Resources).filter(
    ({ Type }) => Type === 'AWS::ApiGateway::RestApi',
  ) as [Template['Resources'][string]];
  const api = resolve(Properties.Body);
  for (const item of Object.values<Part>(api.paths)) {
    for (const operation of Object.values<Part>(item)) {
      const integration = operation['x-amazon-apigateway-integration'];
      integration.passthroughBehavior = 'when_no_match';
      integration.responses ??= { default: { statusCode: '200' } };
    }
  }
  return {
    ...api,
    servers: [{ url: 'https://fake1api.execute-api.us-east-1.amazonaws.com/{basePath}' }],
    components: {},
  };
};

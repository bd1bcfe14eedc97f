import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { passOnTo } from '@leads-and-stars/runner';

// biome-ignore lint/suspicious/noExplicitAny: properties of every shape.
type Part = any;

interface Template {
  Resources: Record<string, { Type: string; Properties: Part }>;
}

export interface DeployedAs {
  outputs: Record<string, string>;
  /** What it was deployed from, a file. */
  templateFile: string;
  /** Changes the API that is exported. */
  changeApi?: (api: Part) => void;
  /** Where the events are that the bus has. */
  eventsFile: string;
  stackStatus?: string;
  isProtected?: boolean;
  /** The state of the mapping of the table's stream. */
  mapping?: string;
  /** How many functions the account may run at once. */
  mostAtOnce?: number;
  /** Who is told of alarms. */
  alarmListeners?: { confirmed: number; pending: number };
  /** Where the table is, and the bus that takes events. */
  tableEndpoint: string;
  eventsEndpoint: string;
  /** The id_token of whoever logs in; undefined where the pool asks for more than the password. */
  idToken: string | undefined;
  /** An operation that fails. */
  refuses?: string;
}

const queueArn = 'arn:aws:sqs:us-east-1:000000000000:smoke';

/**
 * As much of AWS as the smoke command line asks: it says what a deployment with these outputs would say, and keeps which
 * operations were asked for.
 */
export const startFakeAws = async (deployed: DeployedAs) => {
  const operations: string[] = [];
  const after = readFileSync(deployed.eventsFile, 'utf8').split('\n').length - 1;
  const given = new Set<string>();
  let hasTarget = false;
  const passwords = new Map<string, string | undefined>();
  const passOn = passOnTo(deployed.tableEndpoint);
  let endpoint = '';

  /** Of the bus, what came since the rule has a target, each once. */
  const messages = () => {
    const lines = readFileSync(deployed.eventsFile, 'utf8').split('\n').slice(after, -1);
    const news = hasTarget ? lines.filter((line) => !given.has(line)).slice(0, 10) : [];
    for (const line of news) given.add(line);
    return news.map((Body) => ({ Body, MD5OfBody: createHash('md5').update(Body).digest('hex') }));
  };

  /** A user can log in once made, with the password that was set. */
  const logIn = ({ USERNAME, PASSWORD }: Part) => {
    if (passwords.get(USERNAME) !== PASSWORD) throw new Error(`${USERNAME} can’t log in`);
    const { idToken } = deployed;
    if (idToken === undefined) return { ChallengeName: 'SOFTWARE_TOKEN_MFA' };
    return { AuthenticationResult: { IdToken: idToken } };
  };

  const answers: Record<string, (input: Part) => object> = {
    'AWSCognitoIdentityProviderService.AdminCreateUser': ({ Username }) => {
      passwords.set(Username, undefined);
      return { User: { Username } };
    },
    'AWSCognitoIdentityProviderService.AdminSetUserPassword': ({ Username, Password }) => {
      passwords.set(Username, Password);
      return {};
    },
    'AWSCognitoIdentityProviderService.InitiateAuth': ({ AuthParameters }) => logIn(AuthParameters),
    'AWSCognitoIdentityProviderService.AdminDeleteUser': ({ Username }) => {
      passwords.delete(Username);
      return {};
    },
    'AmazonSQS.CreateQueue': () => ({ QueueUrl: `${endpoint}/000000000000/smoke` }),
    'AmazonSQS.GetQueueAttributes': () => ({ Attributes: { QueueArn: queueArn } }),
    'AmazonSQS.SetQueueAttributes': () => ({}),
    'AmazonSQS.ReceiveMessage': () => ({ Messages: messages() }),
    'AmazonSQS.DeleteQueue': () => ({}),
    'AWSEvents.PutRule': () => ({ RuleArn: 'arn:aws:events:us-east-1:000000000000:rule/smoke' }),
    'AWSEvents.PutTargets': () => {
      hasTarget = true;
      return { FailedEntryCount: 0, FailedEntries: [] };
    },
    'AWSEvents.RemoveTargets': () => ({ FailedEntryCount: 0, FailedEntries: [] }),
    'AWSEvents.DeleteRule': () => ({}),
  };

  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request;
    const body = await buffer(request);
    const target = String(headers['x-amz-target'] ?? '');
    const action = new URLSearchParams(body.toString()).get('Action') ?? '';
    const operation = target || action || `${method} ${url}`;
    const isOfTable = target.startsWith('DynamoDB_');
    operations.push(...(isOfTable ? accessesOf(body.toString()) : [operation]));
    const answer = (content: object | string, type = 'application/json', status = 200) => {
      response.writeHead(status, { 'content-type': type });
      response.end(typeof content === 'string' ? content : JSON.stringify(content));
    };
    if (operation === deployed.refuses) {
      answer({ __type: 'AccessDenied', message: `no ${operation} for you` }, jsonType, 403);
    } else if (target === 'AWSEvents.PutEvents') {
      const headers = { 'x-amz-target': target, 'content-type': jsonType };
      const sent = { method: 'POST', headers, body: body.toString() };
      const passed = await fetch(deployed.eventsEndpoint, sent);
      answer(await passed.text(), jsonType, passed.status);
    } else if (isOfTable) {
      const passed = await passOn(headers, body);
      answer(passed.body.toString(), jsonType, passed.status);
    } else if (target) {
      answer(answers[target]?.(JSON.parse(body.toString())) ?? {}, jsonType);
    } else if (action) {
      answer(xmlOf(action, deployed), 'text/xml');
    } else if (url.includes('/event-source-mappings/')) {
      const FunctionArn = 'arn:aws:lambda:us-east-1:000000000000:function:Fake-numberChanges';
      answer({ FunctionArn, State: deployed.mapping ?? 'Enabled' });
    } else if (url === '/restapis/fake1api/stages/v1/exports/oas30?extensions=apigateway') {
      const api = exportApi(readTemplate(deployed));
      deployed.changeApi?.(api);
      answer(api);
    } else if (url.includes('/account-settings')) {
      answer({ AccountLimit: { ConcurrentExecutions: deployed.mostAtOnce ?? 1000 } });
    } else {
      throw new Error(`there is no ${operation} here`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  endpoint = `http://127.0.0.1:${port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { endpoint, operations, users: passwords, close };
};

/** What a transaction does with the table, as IAM names it, and in which partitions. */
const accessesOf = (transaction: string): string[] =>
  JSON.parse(transaction).TransactItems.flatMap((item: Part) =>
    Object.entries<Part>(item).map(
      ([kind, { Item, Key }]) => `dynamodb:${kind}Item in ${(Item ?? Key).pk.S}`,
    ),
  );

const jsonType = 'application/x-amz-json-1.0';

const element = (name: string, content: string) => `<${name}>${content}</${name}>`;

const toEntry = ([key, value]: [string, number]) =>
  element('entry', element('key', key) + element('value', String(value)));

const readTemplate = ({ templateFile }: DeployedAs): Template =>
  JSON.parse(readFileSync(templateFile, 'utf8'));

const xmlOf = (action: string, deployed: DeployedAs): string => {
  const contents: Record<string, () => string> = {
    DescribeStacks: () => element('Stacks', element('member', stackOf(deployed))),
    ListStackResources: () => element('StackResourceSummaries', resourcesOf(deployed)),
    GetTopicAttributes: () => {
      const { confirmed, pending } = deployed.alarmListeners ?? { confirmed: 1, pending: 0 };
      const entries = { SubscriptionsConfirmed: confirmed, SubscriptionsPending: pending };
      return element('Attributes', Object.entries(entries).map(toEntry).join(''));
    },
    GetTemplate: () => {
      const text = readFileSync(deployed.templateFile, 'utf8');
      return element('TemplateBody', text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
    },
  };
  return element(`${action}Response`, element(`${action}Result`, contents[action]!()));
};

const stackOf = ({ outputs, stackStatus, isProtected = true }: DeployedAs): string => {
  const members = Object.entries(outputs).map(([name, value]) =>
    element('member', element('OutputKey', name) + element('OutputValue', value)),
  );
  return (
    element('StackName', 'Fake') +
    element('StackStatus', stackStatus ?? 'CREATE_COMPLETE') +
    element('EnableTerminationProtection', String(isProtected)) +
    element('Outputs', members.join(''))
  );
};

/** Of each type but functions and roles, the first alone. */
const resourcesOf = (deployed: DeployedAs): string => {
  const seen = new Set<string>();
  return Object.entries(readTemplate(deployed).Resources)
    .filter(([, { Type }]) => {
      const isFirst = !seen.has(Type);
      seen.add(Type);
      return isFirst || Type === 'AWS::Lambda::Function' || Type === 'AWS::IAM::Role';
    })
    .map(([id, resource]) =>
      element(
        'member',
        element('ResourceType', resource.Type) +
          element('PhysicalResourceId', physicalId(id, resource)) +
          element('LogicalResourceId', id) +
          element('ResourceStatus', 'CREATE_COMPLETE'),
      ),
    )
    .join('');
};

const restApi = 'AWS::ApiGateway::RestApi';

/** What AWS calls a resource of a template. */
const physicalId = (id: string, { Type, Properties }: Template['Resources'][string]) =>
  Properties?.FunctionName ?? (Type === restApi ? 'fake1api' : `Fake-${id}-4QW2`);

/** The API of a template as API Gateway exports it: every value known, and more than was imported. */
const exportApi = ({ Resources }: Template): Part => {
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
  const [{ Properties }] = Object.values(Resources).filter(({ Type }) => Type === restApi) as [
    Template['Resources'][string],
  ];
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

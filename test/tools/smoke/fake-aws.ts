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

/** What a request to the table does in a transaction, as IAM names it, and in which partitions. */
const accessesOf = (request: string): string[] =>
  (JSON.parse(request).TransactItems ?? []).flatMap((item: Part) =>
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

/** Of each type, the first alone. */
const resourcesOf = (deployed: DeployedAs): string => {
  const seen = new Set<string>();
  return Object.entries(readTemplate(deployed).Resources)
    .filter(([, { Type }]) => {
      const isFirst = !seen.has(Type);
      seen.add(Type);
      return isFirst;
    })
    .map(([id, resource]) =>
      element(
        'member',
        element('ResourceType', resource.Type) +
          element('PhysicalResourceId', `Fake-${id}-4QW2`) +
          element('LogicalResourceId', id) +
          element('ResourceStatus', 'CREATE_COMPLETE'),
      ),
    )
    .join('');
};

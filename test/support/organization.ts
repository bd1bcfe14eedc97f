import { randomUUID } from 'node:crypto';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { inject } from 'vitest';
import { type Role, roles } from '../../lib/operations/permissions.ts';
import { type Answer, call, insist } from './api.ts';
import { sign } from './tokens.ts';

const service = inject('service');

const lambda = new LambdaClient({
  endpoint: service.lambdaEndpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

/** Invokes a function that has no route, as what starts it does. */
export const invoke = async (
  operation: string,
  input: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
): Promise<{ failed: boolean; payload: any }> => {
  const output = await lambda.send(
    new InvokeCommand({
      FunctionName: `LeadsAndStars-${operation}`,
      Payload: JSON.stringify(input),
    }),
  );
  const failed = output.FunctionError !== undefined;
  const payload = JSON.parse(output.Payload?.transformToString() ?? 'null');
  return { failed, payload };
};

interface CallOptions {
  role?: Role;
  headers?: Record<string, string>;
}

/** An organization of a test's own, with a member of every role. */
export class Organization {
  readonly id: string;
  readonly users: Record<Role, string>;
  readonly tokens: Record<Role, string>;
  readonly pipelines: { id: string; name: string; default_stage: string }[];

  constructor(made: Pick<Organization, 'id' | 'users' | 'tokens' | 'pipelines'>) {
    this.id = made.id;
    this.users = made.users;
    this.tokens = made.tokens;
    this.pipelines = made.pipelines;
  }

  get pipelineId(): string {
    return this.pipelines[0]!.id;
  }

  headers({ role = 'owner', headers = {} }: CallOptions = {}): Record<string, string> {
    return {
      authorization: `Bearer ${this.tokens[role]}`,
      'x-organization-id': this.id,
      ...headers,
    };
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return call('GET', path, { headers: this.headers(options) });
  }

  delete(path: string, options?: CallOptions): Promise<Answer> {
    return call('DELETE', path, { headers: this.headers(options) });
  }

  post(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.#send('POST', path, body, options);
  }

  put(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.#send('PUT', path, body, options);
  }

  patch(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.#send('PATCH', path, body, options);
  }

  #send(method: string, path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return call(method, path, {
      headers: { 'content-type': 'application/json', ...this.headers(options) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Reads a list to its end. */
  async readAll(path: string, limit = 200) {
    // biome-ignore lint/suspicious/noExplicitAny: items of every shape.
    const items: any[] = [];
    const cursors = new Set<string>();
    let cursor: string | null = '';
    while (cursor !== null) {
      if (cursors.has(cursor)) throw new Error(`${path} never ends: a cursor came twice`);
      cursors.add(cursor);
      const separator = path.includes('?') ? '&' : '?';
      const next = cursor && `&cursor=${cursor}`;
      const { body, text } = await this.get(`${path}${separator}limit=${limit}${next}`);
      if (!body.items) throw new Error(`no list: ${text}`);
      items.push(...body.items);
      cursor = body.next_cursor;
    }
    return items;
  }

  /** Creates a lead; the test fails if that is refused. */
  async lead(fields: object = {}, options?: CallOptions) {
    const answer = await this.post(
      '/leads',
      { contact_name: 'Maria Silva', pipeline_id: this.pipelineId, ...fields },
      options,
    );
    if (answer.status !== 201) throw new Error(`no lead: ${answer.text}`);
    return answer.body;
  }
}

export type People = Pick<Organization, 'users' | 'tokens'>;

/** A user's id as Cognito makes them: of a variant that RFC 9562 does not know. */
const cognitoSub = (): string => randomUUID().replace(/-4(...)-./, '-7$1-d');

/** Someone of every role. */
const newPeople = async (): Promise<People> => {
  const users = Object.fromEntries(roles.map((role) => [role, cognitoSub()])) as People['users'];
  const tokens = await Promise.all(
    roles.map(async (role) => [role, await sign({ sub: users[role] })]),
  );
  return { users, tokens: Object.fromEntries(tokens) } as People;
};

/** Calls what only the company's own backend may, with a platform key. */
export const callAsPlatform = (
  method: string,
  path: string,
  body: unknown,
  key = service.platformKey,
): Promise<Answer> =>
  call(method, path, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

export const putOrganization = (id: string, body: unknown): Promise<Answer> =>
  callAsPlatform('PUT', `/organizations/${id}`, body);

/** The name of an organization to which a test writes past any commit: its facts need not tell what is stored. */
export const pastCommits = 'Written past commits';

/** The roles of those whom examples name: to make an organization of them alone costs half as much. */
export const rolesOfExamples = ['owner', 'agent', 'viewer'] as const satisfies Role[];

/** A new organization; of new people, if no others are given, and with a member of every role unless told. */
export const provision = async (
  input: object = {},
  people?: People,
  members: readonly Role[] = roles,
): Promise<Organization> => {
  const { users, tokens } = people ?? (await newPeople());
  const id = randomUUID();
  const withRoles = members.map((role) => ({ user_id: users[role], role }));
  // A repeat makes no second organization.
  const { status, text, body } = await insist(() =>
    putOrganization(id, { name: 'Test', members: withRoles, ...input }),
  );
  if (status >= 300) throw new Error(`no organization: ${text}`);
  return new Organization({ id: body.id, users, tokens, pipelines: body.pipelines });
};

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AttributeValue, BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import { expect, inject, onTestFinished, test } from 'vitest';
import { feedIdOf } from '../../../lib/changes/feed.ts';
import { outbox } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/table.ts';
import {
  createPlatformKey,
  deletePlatformKey,
  revokePlatformKey,
} from '../../../tools/admin/platform-keys.ts';
import { localTable } from '../../../tools/demo/platform-key.ts';
import { makeApiKey } from '../../api/keys/api-keys.ts';
import { makeTable } from '../../support/another-table.ts';
import { spend } from '../../support/billing.ts';
import { jsonReply } from '../../support/faults/failure-replies.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import type { Step } from '../../support/faults/step.ts';
import { feedUntil } from '../../support/feed.ts';
import { runCommands } from '../../support/posted-programs.ts';
import { chance, random, seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';
import { wholeOrganization } from '../../support/whole-organization.ts';
import { startFakeAws } from '../smoke/fake-aws.ts';
import { Admin, ready } from './admin.ts';

// A drill of `docs/deploy.md`: its commands are run by bash in their order. AWS and the deployment are made here: a restored table
// has what the table in use had at a moment.

const admin = new Admin();
const service = inject('service');
const client = adminClient(service.tableEndpoint);
const guide = readFileSync(join(import.meta.dirname, '../../../docs/deploy.md'), 'utf8');

/** An item as DynamoDB gives it. */
type Stored = Record<string, AttributeValue>;

const blockWith = (text: string): string =>
  [...guide.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, one]) => one!)
    .find((one) => one.includes(text))!;

const scan = async (TableName: string): Promise<Stored[]> => {
  const all: Stored[] = [];
  let ExclusiveStartKey: Stored | undefined;
  do {
    const input = { TableName, ConsistentRead: true, ExclusiveStartKey };
    const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand(input));
    all.push(...(Items as Stored[]));
    ExclusiveStartKey = LastEvaluatedKey as Stored | undefined;
  } while (ExclusiveStartKey);
  return all;
};

/** What the table in use has now that names one of these. */
const backUp = async (...names: string[]) =>
  (await scan(ready.table_name)).filter((item) =>
    names.some((one) => JSON.stringify(item).includes(one)),
  );

const restore = async (TableName: string, items: readonly Stored[]) => {
  await makeTable(TableName);
  for (let i = 0; i < items.length; i += 25) {
    const chunk = items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: chunk } }));
  }
};

const itemsOf = async (table: string, id: string): Promise<Item[]> =>
  (await scan(table))
    .filter((item) => JSON.stringify(item).includes(id))
    .map((one) => unmarshall(one));

const isRecord = ({ pk }: Item) => String(pk).startsWith('IDEMPOTENCY#');
const isLedger = ({ pk }: Item) => /^(LEDGER|NOTICE)#/.test(String(pk));
const isFact = ({ pk }: Item) =>
  Object.values(outbox).some((prefix) => String(pk).startsWith(prefix));

/** Each fails in the midst of some of its requests until it is let through. */
const killing = async () => {
  const next = random(seed);
  let left = Number.POSITIVE_INFINITY;
  const step: Step = async (_request, pass) => {
    if (left-- > 0) return pass();
    // What was asked last may have been done.
    if (left === -1 && chance(next, 0.5)) await pass();
    return jsonReply(400, { __type: 'x#AccessDeniedException', message: 'killed' });
  };
  const proxy = await FaultProxy.start(ready.dynamodb_endpoint, [step]);
  onTestFinished(() => proxy.close());
  return {
    endpoint: proxy.endpoint,
    kill: () => {
      left = 2 + Math.floor(next() * 60);
    },
    spare: () => {
      left = Number.POSITIVE_INFINITY;
    },
  };
};

/** AWS and the deployment, as far as the commands of a restore act on them. */
class Account {
  /** What the commands have done so far. */
  readonly state = { api: 'open', queue: 'open', old: 'open' };
  /** What the stack says of itself. */
  readonly outputs: Record<string, string> = {
    BaseUrl: ready.base_url,
    TableName: ready.table_name,
  };
  readonly #backup: readonly Stored[];
  readonly #settings = new Set<string>();
  #copy = '';

  constructor(backup: readonly Stored[]) {
    this.#backup = backup;
  }

  readonly aws = async (args: string[]): Promise<string> => {
    const after = (option: string) => args[args.indexOf(option) + 1] ?? '';
    const table = after('--table-name');
    const does: Record<string, () => string | Promise<string>> = {
      'cloudformation describe-stacks': () => {
        const [, name = ''] = /OutputKey=='(\w+)'/.exec(after('--query')) ?? [];
        return this.outputs[name]!;
      },
      'dynamodb describe-table': () =>
        `arn:${table}${after('--query') === 'Table.TableArn' ? '' : '/stream/1'}`,
      'apigateway get-rest-apis': () => 'api',
      'apigateway update-stage': () => {
        this.state.api = args.some((one) => /rateLimit,value=0$/.test(one)) ? 'shut' : 'open';
        return '';
      },
      'lambda list-event-source-mappings': () => 'mapping',
      'lambda update-event-source-mapping': () => {
        expect(after('--uuid')).toBe('mapping');
        this.state.queue = args.includes('--no-enabled') ? 'shut' : 'open';
        return '';
      },
      'dynamodb put-resource-policy': () => {
        const [statement] = JSON.parse(after('--policy')).Statement;
        expect([statement.Effect, statement.Resource]).toEqual(['Deny', `arn:${ready.table_name}`]);
        this.state.old = 'shut';
        return '';
      },
      'dynamodb restore-table-to-point-in-time': async () => {
        expect(this.state).toMatchObject({ api: 'shut', queue: 'shut', old: 'shut' });
        expect(after('--source-table-name')).toBe(ready.table_name);
        this.#copy = after('--target-table-name');
        await restore(this.#copy, this.#backup);
        return '';
      },
      'dynamodb wait': () => '',
      'dynamodb update-table': () => this.#set(table, args),
      'dynamodb update-time-to-live': () => this.#set(table, args),
      'dynamodb update-continuous-backups': () => this.#set(table, args),
    };
    const name = args.slice(0, 2).join(' ');
    if (!does[name]) throw new Error(`there is no aws ${name} here`);
    return `${await does[name]()}\n`;
  };

  #set(table: string, args: readonly string[]): string {
    expect(table).toBe(this.#copy);
    for (const one of args.filter((arg) => arg.startsWith('--'))) this.#settings.add(one);
    return '';
  }

  readonly npx = (args: string[]): string => {
    if (args.join(' ') !== 'cdk deploy') return '';
    const wanted = ['stream-specification', 'deletion-protection-enabled'];
    wanted.push('time-to-live-specification', 'point-in-time-recovery-specification');
    expect(wanted.filter((one) => !this.#settings.has(`--${one}`))).toEqual([]);
    this.outputs.TableName = this.#copy;
    this.outputs.TableIdentity = `arn:${this.#copy}/stream/1`;
    return '';
  };
}

test(`a restore goes as the page says: who was let out is out again before the API opens, wherever a command was killed (SEED=${seed})`, async () => {
  const word = `w${randomUUID().slice(0, 8)}`;
  const own = await wholeOrganization(word);
  const gone = await wholeOrganization(`${word}-gone`);
  const kept = await wholeOrganization(`${word}-kept`);
  const [leaked, rotated] = [await makeApiKey(own, { role: 'admin' }), await makeApiKey(own)];
  const [first, second] = (await own.readAll('/leads')) as { id: string; contact_name: string }[];
  const table = localTable(ready.dynamodb_endpoint, ready.table_name);
  const platform = await createPlatformKey(table, { name: word, role: 'platform' });
  const deleted = await createPlatformKey(table, { name: word, role: 'platform' });
  expect((await spend(own, 1)).status).toBe(201);
  const entries = await own.readAll('/billing/history');
  await feedUntil(
    own,
    (change) => 'entry' in change && change.entry.event_id === entries[0].event_id,
  );
  const backup = await backUp(own.id, gone.id, kept.id, platform.id, deleted.id, word);
  // In that second, the last entry had no number yet.
  const [last] = backup
    .filter(({ pk }) => pk?.S === `LEDGER#${own.id}`)
    .toSorted((a, b) => (a.sk!.S! > b.sk!.S! ? -1 : 1));
  for (const name of ['feed', 'sequence', 'numbered_at']) delete last![name];

  // What is done after that moment.
  expect((await own.delete(`/keys/${leaked.id}`)).status).toBe(204);
  for (let i = 0; i < 2; i++) {
    expect((await own.post(`/keys/${rotated.id}/rotate`, {})).status).toBe(201);
  }
  expect((await own.delete(`/members/${own.users.viewer}`)).status).toBe(200);
  await own.put(`/members/${own.users.admin}`, { role: 'viewer' });
  while ((await own.post(`/leads/${first!.id}/erase`, undefined)).status === 202);
  // The only owner of the backup leaves, after another one came.
  const successor = randomUUID();
  await admin.json('member', 'put', own.id, successor, 'owner');
  await admin.json('member', 'remove', own.id, own.users.owner, '--yes');
  await admin.json('organization', 'suspend', own.id);
  expect((await spend(kept, 2)).status).toBe(201);
  const erase = async (id: string, name: string, ...more: string[]) => {
    const args = ['organization', 'erase', id, '--name', name, '--now', '--no-wait', ...more];
    expect((await admin.run(...args)).code).toBe(0);
  };
  await erase(gone.id, `Cedro ${word}-gone`);
  await erase(kept.id, `Cedro ${word}-kept`, '--keep-ledger');
  expect(await revokePlatformKey(table, platform.id)).toBe(true);
  await deletePlatformKey(table, deleted.id);
  const oldItems = await itemsOf(ready.table_name, own.id);

  const account = new Account(backup);
  const killer = await killing();
  const aws = await startFakeAws({
    outputs: account.outputs,
    templateFile: join(service.directory, 'LeadsAndStars.template.json'),
    eventsFile: service.eventsFile,
    tableEndpoint: killer.endpoint,
    eventsEndpoint: service.eventsEndpoint,
    idToken: undefined,
  });
  onTestFinished(aws.close);
  const variables = {
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'fake',
    AWS_SECRET_ACCESS_KEY: 'fake',
  };
  const restored = () => account.outputs.TableName!;
  const stored = async (pk: string, sk: string) =>
    (await scan(restored()))
      .map((item) => unmarshall(item))
      .find((one) => one.pk === pk && one.sk === sk);
  /** Who and what is out in the restored table as in the old one. */
  const isOut = async () => {
    const [leads, goneItems, keptItems] = [
      await itemsOf(restored(), own.id),
      await itemsOf(restored(), gone.id),
      await itemsOf(restored(), kept.id),
    ];
    return {
      leaked: (await stored(`KEY#${leaked.id}`, 'KEY'))?.revoked_at !== undefined,
      platform: (await stored(`PLATFORM#${platform.id}`, 'KEY'))?.revoked_at !== undefined,
      deleted: (await stored(`PLATFORM#${deleted.id}`, 'KEY')) === undefined,
      viewer: (await stored(`MEMBERS#${own.id}`, own.users.viewer))?.role === undefined,
      owner: (await stored(`MEMBERS#${own.id}`, own.users.owner))?.role === undefined,
      admin: (await stored(`MEMBERS#${own.id}`, own.users.admin))?.role === 'viewer',
      suspended: (await stored(`REQUESTS#${own.id}`, 'COUNTER'))?.suspended === true,
      lead: !JSON.stringify(leads).includes(first!.contact_name),
      gone: goneItems.every(({ sk, pk }) => sk === 'ERASED' || isRecord({ pk })),
      kept: keptItems.every(
        ({ sk, pk }) => sk === 'ERASED' || isRecord({ pk }) || isLedger({ pk }),
      ),
    };
  };

  const [done, killed]: [string[], (number | null)[]] = [[], []];
  /** As the page says: repeated until there is nothing to do. Before that, it is killed. */
  const administer = async (args: string[]) => {
    const command = args.slice(3).join(' ');
    const isLost = args.includes('--lost');
    done.push(command.replace(/ --stack.*| --old.*/, ''));
    const where = isLost ? 'open' : 'shut';
    expect([command, account.state]).toEqual([command, { api: where, queue: where, old: 'shut' }]);
    for (let i = 0; i < times(1, 2); i++) {
      killer.kill();
      killed.push((await admin.runWith(variables, ...args.slice(3))).code);
    }
    killer.spare();
    for (let i = 0; i < 3; i++) {
      const { code, stdout, stderr } = await admin.runWith(variables, ...args.slice(3));
      expect([command, code, stderr]).toEqual([command, 0, '']);
      const all: number[] = Object.values(JSON.parse(stdout));
      if (all.every((count) => count === 0)) return '';
    }
    throw new Error(`${command} is never done`);
  };
  let [asRestored, atOpening]: unknown[] = [];
  const npm = async (args: string[]) => {
    if (args.slice(0, 2).join(' ') === 'run admin') return administer(args);
    expect([args.join(' '), account.state]).toEqual([
      'run smoke -- --stack LeadsAndStars',
      { api: 'open', queue: 'open', old: 'shut' },
    ]);
    return '';
  };
  await runCommands(`${blockWith('output()')}\n${blockWith('restore-table-to-point-in-time')}`, {
    aws: async (args) => {
      if (args.some((one) => /rateLimit,value=[1-9]/.test(one))) atOpening = await isOut();
      return account.aws(args);
    },
    curl: () => '',
    npm,
    npx: async (args) => {
      account.npx(args);
      if (args.join(' ') === 'cdk deploy') asRestored = await isOut();
      return '';
    },
    sleep: () => '',
  });
  expect(killed).toContain(1);
  expect(done).toEqual(['changes number', 'take-over', 'changes number --lost']);
  const outOf = (isSo: boolean) =>
    Object.fromEntries(
      [
        ...['leaked', 'platform', 'deleted', 'viewer', 'owner', 'admin'],
        ...['suspended', 'lead', 'gone', 'kept'],
      ].map((name) => [name, isSo]),
    );
  expect([asRestored, atOpening]).toEqual([outOf(false), outOf(true)]);

  // What was numbered before is so in its order, and then the rest.
  const facts = (await itemsOf(restored(), own.id)).filter(isFact);
  const inOrder = facts.toSorted((a, b) => Number(a.sequence) - Number(b.sequence));
  expect(inOrder.map(({ sequence }) => sequence)).toEqual(inOrder.map((_, i) => i + 1));
  const feed = feedIdOf(own.id, account.outputs.TableIdentity);
  expect(new Set(inOrder.map((fact) => fact.feed))).toEqual(new Set([feed]));
  const nameOf = ({ pk, sk }: Item) => `${pk} ${sk}`;
  const before = backup.map((item) => unmarshall(item)).filter(({ pk }) => isFact({ pk }));
  const wasInOrder = before
    .filter((item) => item.sequence !== undefined && JSON.stringify(item).includes(own.id))
    .toSorted((a, b) => a.sequence - b.sequence);
  expect(inOrder.slice(0, wasInOrder.length).map(nameOf)).toEqual(wasInOrder.map(nameOf));
  expect(inOrder.map(nameOf)).toContain(nameOf(unmarshall(last!)));
  expect(JSON.stringify(await itemsOf(restored(), own.id))).toContain(second!.contact_name);

  // Of the one whose ledger is kept, it is that of the old table to its end, and nothing else is there.
  const keptThere = await itemsOf(ready.table_name, kept.id);
  const withoutRecords = (items: readonly Item[]) =>
    items
      .filter(({ pk, sk }) => !isRecord({ pk }) && sk !== 'ERASED')
      .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  expect(withoutRecords(await itemsOf(restored(), kept.id))).toEqual(withoutRecords(keptThere));
  expect(await itemsOf(ready.table_name, own.id)).toEqual(oldItems);
});

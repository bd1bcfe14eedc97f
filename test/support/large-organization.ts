import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { feedIdOf } from '../../lib/changes/feed.ts';
import { places } from '../../lib/table/keys.ts';
import { historyKey } from './keys.ts';

// biome-ignore lint/suspicious/noExplicitAny: requests of every shape.
type Part = any;

const tableName = 'large';
const versionsOfLead = 10;
const pageSize = 1000;

/** A lead's id by its place. */
const leadIdOf = (place: number): string =>
  `00000000-0000-4000-8000-${place.toString(16).padStart(12, '0')}`;

/** The place of a lead's change by its key. */
const placeOf = ({ pk, sk }: { pk: { S: string }; sk: { S: string } }): number =>
  Number.parseInt(pk.S.slice(-12), 16) * versionsOfLead + Number(sk.S) - 1;

/**
 * As much of DynamoDB as numbering asks, with one organization of very many changes, which are made up as they are asked for:
 * an engine would have to be given them first. `hadNumbers`: in the feed of a table that this one is restored from; else none
 * had one. Numbers have to be given in the order of the changes.
 */
export const startLargeOrganization = async (changeCount: number, hadNumbers: boolean) => {
  const organizationId = randomUUID();
  const [feed, oldFeed] = [feedIdOf(organizationId, tableName), feedIdOf(organizationId, 'old')];
  let numbered = 0;

  const itemOf = (i: number): Part => {
    const version = (i % versionsOfLead) + 1;
    const { pk, sk } = historyKey(
      organizationId,
      leadIdOf(Math.floor(i / versionsOfLead)),
      version,
    );
    const own = { pk: { S: pk }, sk: { S: sk }, at: { S: new Date(i * 1000).toISOString() } };
    if (i >= numbered && !hadNumbers) return own;
    const number = { sequence: { N: String(i + 1) }, numbered_at: { N: String(i * 1000) } };
    return { ...own, ...number, feed: { S: i < numbered ? feed : oldFeed } };
  };
  const headOf = (feedId: string, sequence: number): Part => ({
    ...{ pk: { S: `FEED#${organizationId}` }, sk: { S: feedId } },
    ...{ sequence: { N: String(sequence) }, numbered_at: { N: '1' } },
  });
  const heads = () => [
    ...(hadNumbers ? [headOf(oldFeed, changeCount)] : []),
    ...(numbered > 0 ? [headOf(feed, numbered)] : []),
  ];
  const get = (key: Part): Part => {
    const { S: pk } = key.pk;
    if (pk.startsWith('FEED#')) return heads().find(({ sk }) => sk.S === key.sk.S);
    if (places.historyEntry.find({ pk, sk: key.sk.S })) {
      return placeOf(key) < changeCount ? itemOf(placeOf(key)) : undefined;
    }
    const counts = ['pipelines', 'members', 'owners', 'webhooks', 'api_keys', 'facts'];
    return {
      ...key,
      ...Object.fromEntries(counts.map((name) => [name, { N: '1' }])),
      ...{ name: { S: 'Large' }, currency: { S: 'BRL' } },
      ...{ created_at: { S: new Date(0).toISOString() }, fingerprint: { S: '' }, reply: { S: '' } },
    };
  };
  const page = (from: number) => {
    const end = Math.min(from + pageSize, changeCount);
    const Items = Array.from({ length: Math.max(0, end - from) }, (_, i) => itemOf(from + i));
    return { Items, ...(end < changeCount && { LastEvaluatedKey: Items.at(-1) }) };
  };
  const fromOf = ({ ExclusiveStartKey: key }: Part) => (key ? placeOf(key) + 1 : 0);
  const write = ({ Update }: Part): void => {
    if (!Update || !places.historyEntry.find({ pk: Update.Key.pk.S, sk: Update.Key.sk.S })) return;
    if (placeOf(Update.Key) !== numbered)
      throw new Error('numbers are not in the order of changes');
    numbered++;
  };
  const does: Record<string, (input: Part) => object> = {
    GetItem: ({ Key }) => ({ Item: get(Key) }),
    BatchGetItem: ({ RequestItems }) => ({
      Responses: {
        [tableName]: RequestItems[tableName].Keys.flatMap((key: Part) => get(key) ?? []),
      },
    }),
    // What has its number has left the index of the feed before.
    Query: (input) =>
      input.IndexName ? page(Math.max(fromOf(input), numbered)) : { Items: heads() },
    Scan: (input) => page(fromOf(input)),
    TransactWriteItems: ({ TransactItems }) => {
      TransactItems.forEach(write);
      return {};
    },
  };
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end(JSON.stringify(does[operation]!(await json(request))));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    organizationId,
    ready: { dynamodb_endpoint: `http://127.0.0.1:${port}`, table_name: tableName },
    numbered: () => numbered,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

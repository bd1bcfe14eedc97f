import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { outbox, places } from '../../../lib/table/keys.ts';
import { jsonReply } from '../../support/faults/failure-replies.ts';
import type { Step } from '../../support/faults/step.ts';
import { asSent, readFeed } from '../../support/feed.ts';
import { provision } from '../../support/organization.ts';
import { chance, random, seed } from '../../support/random.ts';
import { kindOf, naming, scanTable, wholeOrganization } from '../../support/whole-organization.ts';
import { Admin, expectFailure } from './admin.ts';

const admin = new Admin();

const directory = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'leads-and-stars-export-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
};

const linesOf = async (path: string) =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Kinds whose items are there for the service alone: what they have is told by others. */
const unexported: (keyof typeof places)[] = [
  // Copies of leads, and what they are found and counted by.
  ...(['leadOfTag', 'leadOfFieldValue', 'contactGuard', 'contactLookup', 'externalId'] as const),
  ...(['word', 'counter', 'recordTrace', 'noteTrace'] as const),
  // The ledger tells of events, and usage is counted from it.
  ...(['eventRecord', 'payment', 'subscriptionOwner', 'usage', 'usageSum'] as const),
  ...(['apiKey', 'apiKeyUse', 'requestCounter', 'platformRequestCounter'] as const),
  ...([
    'listedOrganization',
    'feedHead',
    'due',
    'wake',
    'delivery',
    'idempotencyRecord',
    'waitingRequest',
  ] as const),
];

/** The file of each kind that is not told by the feed. */
const fileOf: Partial<Record<keyof typeof places, string>> = {
  organization: 'organization',
  member: 'members',
  name: 'names',
  pipeline: 'pipelines',
  apiKeySettings: 'api_keys',
  webhook: 'webhooks',
  wallet: 'wallet',
  openHold: 'holds',
  spendLimit: 'limits',
  spendCounter: 'spent',
  lead: 'leads',
  note: 'notes',
};

test('all that an organization has is exported, by a scan of the table, wherever it was killed, and no secret', async () => {
  const word = `w${randomUUID().slice(0, 8)}`;
  const own = await wholeOrganization(word, 12);
  const path = await directory();
  console.info(`SEED=${seed}`);
  const next = random(seed);
  const codes: (number | null)[] = [];
  let ran = { code: 1 as number | null, stdout: '' };
  while (ran.code !== 0) {
    let left = codes.length < 4 ? 3 + Math.floor(next() * 8) : Number.POSITIVE_INFINITY;
    const killed: Step = async (_request, pass) => {
      if (left-- > 0) return pass();
      if (chance(next, 0.5)) await pass();
      return jsonReply(400, { __type: 'x#AccessDeniedException', message: 'killed' });
    };
    ran = await admin.runBehind(killed, 'organization', 'export', own.id, path);
    codes.push(ran.code);
  }
  expect(codes, `SEED=${seed}`).toContain(1);
  const manifest = JSON.parse(ran.stdout);
  expect(manifest.read_units).toBeLessThan(60);

  const names: string[] = manifest.files.map(({ name }: { name: string }) => name);
  const all = [...names, 'manifest.json'];
  expect((await readdir(path)).toSorted()).toEqual(all.toSorted());
  for (const { name, lines, bytes, sha256 } of manifest.files) {
    const text = await readFile(join(path, name));
    expect([name, text.length, text.toString().split('\n').length - 1]).toEqual([
      name,
      bytes,
      lines,
    ]);
    expect(createHash('sha256').update(text).digest('hex')).toBe(sha256);
  }

  const items = naming(await scanTable(), own.id);
  const byKind = Map.groupBy(items, kindOf);
  const of = (kind: keyof typeof places) => byKind.get(kind) ?? [];
  const read = (file: string) => linesOf(join(path, `${file}.ndjson`));
  for (const kind of byKind.keys()) {
    const isFact = Object.values(outbox).some((prefix) => places[kind].prefix === prefix);
    if (isFact || kind === 'fields' || unexported.includes(kind)) continue;
    const file = fileOf[kind];
    expect([kind, file]).not.toEqual([kind, undefined]);
    const stored = of(kind).filter((item) => kind !== 'member' || item.role !== undefined);
    expect([file, (await read(file!)).length]).toEqual([file, stored.length]);
  }
  const facts = items.filter((item) =>
    Object.values(outbox).some((prefix) => String(item.pk).startsWith(prefix)),
  );
  const changes = await read('changes');
  expect(changes).toHaveLength(facts.length);
  expect(changes).toEqual(asSent(await readFeed(own)));
  expect((await read('fields')).map(({ key }) => key)).toEqual(['source', 'old']);
  expect(await read('leads')).toEqual((await own.readAll('/leads')).toReversed());
  expect((await read('ledger')).length).toBe(of('ledgerEntry').length);
  expect(await read('limits')).toMatchObject([{ kind: 'default', name: 'spender', stars: 20 }]);
  expect(await read('spent')).toMatchObject([{ kind: 'spender', name: word, total: 5 }]);
  expect((await read('notes')).map(({ text }) => text)).toContain(`${word} calls back`);

  const texts = await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')));
  expect(texts.join()).not.toMatch(/lsk_|whsec_|digest|secrets"/);
  const secrets = [...of('apiKey'), ...of('webhook')].flatMap(({ secrets = [] }) => secrets as []);
  expect(secrets.length).toBeGreaterThan(1);
  for (const { digest, value } of secrets as { digest?: string; value?: string }[]) {
    expect(texts.join()).not.toContain(digest ?? value);
  }
});

test('a directory with an export, or the beginning of that of another organization, is left as it is', async () => {
  const [one, other] = [await provision(), await provision()];
  const path = await directory();
  await admin.json('organization', 'export', one.id, path);
  const before = await readFile(join(path, 'manifest.json'), 'utf8');
  for (const { id } of [one, other]) {
    expectFailure(await admin.run('organization', 'export', id, path), /has a whole export: name/);
  }
  expect(await readFile(join(path, 'manifest.json'), 'utf8')).toBe(before);
  const begun = await directory();
  let left = 6;
  const killed: Step = async (_request, pass) =>
    left-- > 0 ? pass() : jsonReply(400, { __type: 'x#AccessDeniedException', message: 'killed' });
  const first = await admin.runBehind(killed, 'organization', 'export', one.id, begun);
  expect(first.code).toBe(1);
  expectFailure(await admin.run('organization', 'export', other.id, begun), /has an export of/);
  await admin.json('organization', 'export', one.id, begun);
  expectFailure(
    await admin.run('organization', 'export', randomUUID(), path),
    /is no organization/,
    2,
  );
});

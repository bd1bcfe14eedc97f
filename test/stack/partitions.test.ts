import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { type OutboxName, outbox, places } from '../../lib/table/keys.ts';
import { everyOption } from './some-options.ts';
import { synthesized } from './synthesized.ts';
import type { Resources } from './template/references.ts';
import { partitionsIn, statementsByOperation } from './template/roles.ts';

// In which partitions each function may write, by the template itself: how their keys begin.

const lead = 'CONTACT# COUNTERS# EXTERNAL# FIELD# HISTORY# LEADS# TAG# WORDS#';
const wallet = 'EVENT# HOLDS# LEDGER# NOTICE# PAYMENT# SPENT# SUBSCRIPTION# WAITING# WALLET#';
const apiKey = 'KEY# KEYS# KEY_FACT#';
const webhook = 'WEBHOOKS# WEBHOOK_FACT#';

/** What each function may write of its own. Those that are not here only read. */
const writable: Record<string, string> = {
  createLead: lead,
  createLeads: `${lead} TRACES#`,
  deleteLead: lead,
  eraseLead: `${lead} IDEMPOTENCY# NOTES# NOTE_HISTORY# TRACES#`,
  mergeLead: `${lead} TRACES#`,
  restoreLead: `${lead} TRACES#`,
  updateLead: `${lead} TRACES#`,
  updateLeads: `${lead} TRACES#`,
  upsertLead: `${lead} TRACES#`,

  createNote: 'NOTES# NOTE_HISTORY#',
  updateNote: 'NOTES# NOTE_HISTORY# TRACES#',
  deleteNote: 'NOTES# NOTE_HISTORY# TRACES#',

  createField: 'FIELDS# FIELD_FACT#',
  updateField: 'FIELDS# FIELD_FACT#',

  createPipeline: 'ORG# PIPELINES# PIPELINE_FACT#',
  updatePipeline: 'COUNTERS# PIPELINES# PIPELINE_FACT#',

  applyWalletEvents: wallet,
  captureHold: wallet,
  createSpends: wallet,
  putEvent: wallet,
  putHold: wallet,
  putSpend: wallet,
  releaseHold: wallet,
  updateHold: wallet,
  putAlerts: 'ALERT_FACT# WALLET#',
  deleteSpendLimit: 'LIMITS# LIMIT_FACT# WALLET#',
  putSpendLimit: 'LIMITS# LIMIT_FACT# WALLET#',
  putPlan: 'PLANS PRICE#',

  createApiKey: `${apiKey} NAMES# ORG#`,
  revokeApiKey: `${apiKey} ORG#`,
  rotateApiKey: apiKey,
  updateApiKey: `${apiKey} NAMES#`,

  deleteMember: 'MEMBERS# MEMBER_FACT# ORG#',
  putMember: 'MEMBERS# MEMBER_FACT# NAMES# ORG#',
  putOrganization:
    'LEDGER# MEMBERS# MEMBER_FACT# NAMES# ORG# ORGANIZATIONS ORGANIZATION_FACT# PIPELINES# PIPELINE_FACT# WALLET#',
  putSuspension: 'ORG# ORGANIZATIONS ORGANIZATION_FACT# REQUESTS#',
  updateOrganization: 'ORG# ORGANIZATIONS ORGANIZATION_FACT#',

  createWebhook: `${webhook} DUE ORG#`,
  deleteWebhook: `${webhook} DUE ORG#`,
  followChanges: `${webhook} DELIVERIES# DUE USAGE#`,
  replayWebhook: `${webhook} DUE`,
  rotateWebhookSecret: webhook,
  testWebhook: 'WAKE# WEBHOOKS#',
  updateWebhook: `${webhook} DUE`,

  answerAgent: `${lead} ${wallet} NOTES# NOTE_HISTORY# TRACES# IDEMPOTENCY# REQUESTS#`,

  numberChanges: `FEED# ${Object.values(outbox).join(' ')}`,
  renewIssuerKeys: 'ISSUER#',
};

const wordsOf = (text = ''): string[] => text.split(' ').filter(Boolean);

const resources: Resources = synthesized().toJSON().Resources;
const statements = statementsByOperation(resources);
const withEveryOption = statementsByOperation(synthesized(everyOption).toJSON().Resources);
const functionFiles = await loadOperations();

const reads =
  /^(?!dynamodb:)|:(BatchGetItem|ConditionCheckItem|GetItem|Query)$|Stream|:Get(Records|Shard)/;

/** With every option, and without. Throws where a function may do more than read without a word on where. */
const writtenBy = (operationId: string): string[] => {
  const begins = [statements, withEveryOption]
    .flatMap((one) => one.get(operationId) ?? [])
    .filter(({ Effect }) => Effect === 'Allow')
    .filter(({ Action }) => [Action].flat().some((action) => !reads.test(action)))
    .flatMap(({ Condition = {} }) => partitionsIn(Condition));
  return [...new Set(begins)].sort();
};

test('the template has no function that is not looked at here', () => {
  const ids: string[] = functionFiles.map(({ operation }) => operation.id);
  for (const one of [statements, withEveryOption]) {
    expect([...one.keys()].sort()).toEqual(ids.sort());
  }
});

test.each(functionFiles)('$operation.id writes what is listed here, and nothing else', (file) => {
  const { id } = file.operation;
  const own = wordsOf(writable[id]);
  // Each request is counted, and an answer is kept under an idempotency key.
  const ofRequests = isRouted(file) ? ['REQUESTS#'] : [];
  const ofAnswers = isRouted(file) && file.operation.idempotent ? ['IDEMPOTENCY#'] : [];
  expect(writtenBy(id)).toEqual([...new Set([...own, ...ofRequests, ...ofAnswers])].sort());
});

test('only what changes wallets carries out waiting requests, for 11 seconds at most', () => {
  const carriers = functionFiles
    .map(({ operation }) => operation.id)
    .filter((id) => writtenBy(id).includes('WAITING#'));
  expect(carriers.toSorted()).toEqual(
    Object.keys(writable)
      .filter((id) => writable[id]!.includes(wallet))
      .toSorted(),
  );
  const timeouts = new Map(
    Object.values(resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map(({ Properties }) => [
        String(Properties.FunctionName).replace(/^.*-/, ''),
        Properties.Timeout,
      ]),
  );
  for (const id of carriers) expect(timeouts.get(id), id).toBeLessThanOrEqual(11);
});

test('what is listed here is of some function', () => {
  const ids = new Set<string>(functionFiles.map(({ operation }) => operation.id));
  expect(Object.keys(writable).filter((id) => !ids.has(id))).toEqual([]);
});

/** The areas that write facts of each kind, beside that of changes, which numbers all. */
const areasOfFacts: Record<OutboxName, string> = {
  leads: 'leads',
  notes: 'leads notes',
  // An organization is made with its first pipeline and wallet.
  wallets: 'billing organizations',
  notices: 'billing',
  organizations: 'organizations',
  members: 'organizations',
  apiKeys: 'keys',
  pipelines: 'pipelines organizations',
  fields: 'fields',
  webhooks: 'webhooks',
  alerts: 'billing',
  spendLimits: 'billing',
};

describe('an area keeps out of the others', () => {
  const facts = Object.entries(outbox);
  const isFact = (prefix: string) => facts.some(([, one]) => one === prefix);
  const money = wordsOf(`${wallet} PLANS PRICE# LIMITS#`);
  const sales = wordsOf(`${lead} NOTES# TRACES#`);
  const settings = ['ORG#', 'PIPELINES#', 'FIELDS#', 'WEBHOOKS#', 'MEMBERS#', 'KEY#', 'KEYS#'];
  const allBut = (...own: string[]) =>
    [...money, ...sales, ...settings].filter((one) => !own.includes(one));

  test.each([
    ['leads', [...money, ...settings]],
    ['notes', [...money, ...settings, 'LEADS#']],
    ['fields', [...money, ...sales, 'WEBHOOKS#', 'PIPELINES#']],
    ['pipelines', [...money, 'LEADS#', 'WEBHOOKS#', 'FIELDS#']],
    ['billing', [...sales, ...settings]],
    ['keys', [...money, ...sales, 'MEMBERS#', 'WEBHOOKS#']],
    ['webhooks', [...money, ...sales, 'MEMBERS#', 'KEY#']],
    ['organizations', allBut('ORG#', 'MEMBERS#', 'PIPELINES#', 'WALLET#')],
    // It has the worker of webhooks.
    ['changes', allBut('WEBHOOKS#')],
  ])('%s', (area, things) => {
    const closedFacts = facts
      .filter(([name]) => !wordsOf(`${areasOfFacts[name as OutboxName]} changes`).includes(area))
      .map(([, prefix]) => prefix as string);
    const closed = [...things.filter((one) => !isFact(one)), ...closedFacts];
    const own = functionFiles.filter(({ file }) => basename(dirname(file)) === area);
    const written = new Set(own.flatMap(({ operation }) => writtenBy(operation.id)));
    expect(written.size).toBeGreaterThan(1);
    expect(closed.filter((one) => written.has(one))).toEqual([]);
  });
});

test('no partition is open because another one is: none begins as another does, but what is counted with requests', () => {
  const begins = [...new Set(Object.values(places).map(({ prefix }) => prefix))];
  const opened = (one: string) => begins.filter((other) => other !== one && other.startsWith(one));
  expect(begins.filter((one) => opened(one).length > 0)).toEqual(['REQUESTS#']);
});

test('facts are added by who does what they tell, and changed only by who numbers or erases them', () => {
  const facts: string[] = Object.values(outbox);
  const changing = functionFiles.flatMap(({ operation: { id } }) =>
    (statements.get(id) ?? [])
      .filter(({ Effect, Action }) => Effect === 'Allow' && /(Update|Delete)Item/.test(`${Action}`))
      .flatMap(({ Action, Condition = {} }) =>
        partitionsIn(Condition)
          .filter((begin) => facts.includes(begin))
          .map((begin) => `${id} ${Action} ${begin}`),
      ),
  );
  expect(changing.sort()).toEqual(
    [
      'eraseLead dynamodb:UpdateItem HISTORY#',
      'eraseLead dynamodb:UpdateItem NOTE_HISTORY#',
      ...facts.map((begin) => `numberChanges dynamodb:UpdateItem ${begin}`),
    ].sort(),
  );
});

import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { givePatience } from '../../../tools/dev/patience.ts';
import { startService } from '../../../tools/dev/service.ts';
import type { Ran } from '../../support/command-line.ts';
import { prepared } from '../../support/prepared.ts';
import { cwd, smoke, told, useOwnDirectory } from './smoke.ts';

// Services that lack something, by their templates: smoke finds each of it. Several have nothing to do with each other,
// and are planted in one service.
// @module-tag long

useOwnDirectory();

// biome-ignore lint/suspicious/noExplicitAny: properties of every shape.
type Resources = Record<string, { Type: string; Properties: any }>;

interface Defect {
  what: string;
  plant: (resources: Resources) => void;
  /** What each check says that finds it. */
  told: RegExp[];
}

const ofType = (resources: Resources, type: string) =>
  Object.entries(resources).filter(([, { Type }]) => Type === type);

const only = <T>(found: T[]): T => {
  if (found.length !== 1) throw new Error(`there are ${found.length}`);
  return found[0]!;
};

const functionOf = (resources: Resources, id: string) =>
  only(
    ofType(resources, 'AWS::Lambda::Function').filter(
      ([, { Properties }]) => Properties.FunctionName === `LeadsAndStars-${id}`,
    ),
  );

/** Takes actions out of what a function may do. */
const forbid =
  (id: string, ...actions: string[]) =>
  (resources: Resources) => {
    const [, { Properties }] = functionOf(resources, id);
    const role = resources[Properties.Role['Fn::GetAtt'][0]]!.Properties;
    let taken = 0;
    for (const one of role.Policies[0].PolicyDocument.Statement) {
      if (one.Effect !== 'Allow' || one.Condition) continue;
      const before = [one.Action].flat();
      one.Action = before.filter((action) => !actions.includes(action));
      taken += before.length - one.Action.length;
    }
    if (taken < actions.length) throw new Error(`${id} may not ${actions} anyway`);
  };

/** Lets nothing bring a function what it is given by a stream or a queue. */
const unmap = (id: string) => (resources: Resources) => {
  const [logicalId] = functionOf(resources, id);
  const mappings = ofType(resources, 'AWS::Lambda::EventSourceMapping').filter(
    ([, { Properties }]) => Properties.FunctionName.Ref === logicalId,
  );
  if (mappings.length === 0) throw new Error(`nothing brings ${id} anything`);
  for (const [mapping] of mappings) delete resources[mapping];
};

/** Gives a variable of every function that has it another value. */
const misset = (name: string, value: string) => (resources: Resources) => {
  for (const [, { Properties }] of ofType(resources, 'AWS::Lambda::Function')) {
    const variables = Properties.Environment.Variables;
    if (name in variables) variables[name] = value;
  }
};

const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem'];

const services: Defect[][] = [
  [
    {
      what: 'keys of the issuer that can’t be fetched',
      plant: misset('JWKS_URI', 'https://localhost:1/keys'),
      told: [
        /^a user who logs in is known GET \/me: The status is 503 instead of 200/,
        /^a token that somebody else has signed is refused.* The status is 503 instead of 401/,
      ],
    },
    {
      what: 'a function that may not write leads',
      plant: forbid('createLead', 'dynamodb:PutItem'),
      told: [/^a lead can be made.* POST \/leads: The status is 500 instead of 201/],
    },
    {
      what: 'no rule on the bus of billing',
      plant: (resources) => {
        const rules = ofType(resources, 'AWS::Events::Rule');
        delete resources[only(rules.filter(([, one]) => one.Properties.EventPattern))[0]];
      },
      told: [/^an event on the bus of your billing .*-event has not come to the wallet in time/],
    },
    {
      what: 'no stream for the function that publishes',
      plant: unmap('publishChanges'),
      told: [/^what has happened is sent to the bus wallet\.changed of .*-gift was not sent/],
    },
    {
      what: 'wakes that nobody takes',
      plant: unmap('deliverWebhooks'),
      told: [/^what a webhook is to be told is posted The test .* was not posted in time/],
    },
  ],
  [
    {
      what: 'another issuer than that of the tokens',
      plant: misset('ISSUER', 'https://localhost:1'),
      told: [/^a user who logs in is known GET \/me: The status is 401 instead of 200/],
    },
    {
      what: 'a function that may not read the wallet',
      plant: forbid('getBalance', ...reads),
      told: [
        /^every function with a route starts.* GET \/billing\/balance: The status is 500/,
        /^stars are given, and spent once.* GET \/billing\/balance: The status is 500/,
      ],
    },
    {
      what: 'a function for no check of its own that may not read its callers',
      plant: forbid('listFields', ...reads),
      told: [
        /^every function with a route starts.* GET \/fields: The status is 500 instead of 404/,
      ],
    },
    {
      what: 'no stream for the function that numbers',
      plant: unmap('numberChanges'),
      told: [/^what has happened is in the feed lead\.created of .* was not numbered in time/],
    },
    {
      what: 'a function that may not apply the events of billing',
      plant: forbid('applyWalletEvents', 'dynamodb:PutItem'),
      told: [/^an event on the bus of your billing .*-event has not come to the wallet in time/],
    },
  ],
  [
    {
      what: 'a function that may not read the feed',
      plant: forbid('listChanges', 'dynamodb:Query'),
      told: [
        /^every function with a route starts.* GET \/changes: The status is 500/,
        /^what has happened is in the feed GET \/changes: The status is 500/,
      ],
    },
    {
      what: 'a function that may not send wakes',
      plant: forbid('numberChanges', 'sqs:SendMessage'),
      told: [/^what a webhook is to be told is posted The test .* was not posted in time/],
    },
    {
      what: 'a function that may not put events on the bus',
      plant: forbid('publishChanges', 'events:PutEvents'),
      told: [/^what has happened is sent to the bus lead\.created of .* was not sent in time/],
    },
    {
      what: 'a function that may not spend stars',
      plant: forbid('putSpend', 'dynamodb:PutItem'),
      told: [/^stars are given, and spent once.* PUT \/billing\/spends: The status is 500/],
    },
  ],
];

/** What no defect has to do with. */
const others = [
  'a request without a token is 401 unauthenticated',
  'a platform key can be made',
  'an organization is made once',
];

/** Smokes a service whose template was changed. */
const smokeWith = async (defects: readonly Defect[]): Promise<Ran> => {
  const from = await prepared();
  const directory = mkdtempSync(join(cwd, 'cdk-'));
  const name = 'LeadsAndStars.template.json';
  for (const file of readdirSync(from.directory)) {
    if (file !== name) symlinkSync(join(from.directory, file), join(directory, file));
  }
  const template = JSON.parse(readFileSync(join(from.directory, name), 'utf8'));
  for (const { plant } of defects) plant(template.Resources);
  writeFileSync(join(directory, name), JSON.stringify(template));
  const [eventsFile, readyFile] = [join(directory, 'events.jsonl'), join(directory, 'ready.json')];
  writeFileSync(eventsFile, '');
  const service = await startService({
    prepared: { ...from, directory },
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 1,
    sharesProcesses: true,
    logs: () => {},
    onEvent: (event) => appendFileSync(eventsFile, `${JSON.stringify(event)}\n`),
  });
  try {
    givePatience(service.assembly);
    const ready = {
      base_url: service.baseUrl,
      dynamodb_endpoint: service.tableEndpoint,
      events_endpoint: service.eventsEndpoint,
      event_bus_name: inject('service').eventBusName,
      table_name: service.assembly.table.TableName,
      organizations: [{ tokens: { owner: await from.issuer.idToken(randomUUID()) } }],
    };
    writeFileSync(readyFile, JSON.stringify(ready));
    return await smoke(['--ready-file', readyFile, '--events-file', eventsFile, '--wait', '10']);
  } finally {
    await service.close();
  }
};

describe.each(services.map((defects) => [defects]))('in one service', (defects) => {
  let ran: Ran;
  beforeAll(async () => {
    ran = await smokeWith(defects);
  });

  test.each(defects)('$what is found', (defect) => {
    const differs = told(ran, 'differs');
    for (const sentence of defect.told) {
      expect(differs).toContainEqual(expect.stringMatching(sentence));
    }
  });

  test('what is not concerned is as expected', () => {
    expect(told(ran, 'ok')).toEqual(expect.arrayContaining(others));
    expect(ran.code).toBe(1);
  });
});

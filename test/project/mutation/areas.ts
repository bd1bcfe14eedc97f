export interface Area {
  /** What is changed. */
  mutate: string[];
  /** The tests that may notice it. */
  tests: string[];
  except?: string[];
  /** What the tests need around them. */
  around: 'nothing' | 'a table' | 'the service';
  /** The score in percent below which it fails. */
  break: number;
}

/** What `npm run mutation:AREA` changes. `chain` is what every request goes through. */
export const areas: Record<string, Area> = {
  chain: {
    mutate: [
      'lib/handlers/http/**/*.ts',
      'lib/admission/*.ts',
      'lib/errors/*.ts',
      'lib/operations/{permissions,idempotency,idempotency-record}.ts',
      'lib/schema/{issues,cursor,fingerprint,resource}.ts',
    ],
    tests: [
      'test/unit/organizations/request-limit.test.ts',
      'test/unit/leads/batches/batch.test.ts',
      'test/unit/{errors,schema}/*.test.ts',
      'test/unit/handlers/http/**/*.test.ts',
      'test/unit/admission/*.test.ts',
      'test/unit/operations/*.test.ts',
      'test/unit/tokens/*.test.ts',
      'test/api/requests/idempotency.test.ts',
      'test/api/organizations/get-me.test.ts',
      'test/api/fields/*.test.ts',
      'test/api/webhooks/{create-webhook,update-webhook,delete-webhook,rotate-webhook-secret}.test.ts',
    ],
    around: 'the service',
    break: 94,
  },
  billing: {
    mutate: ['lib/billing/**/*.ts', 'lib/usage/*.ts'],
    tests: ['test/unit/{billing,usage}/**/*.test.ts', 'test/api/billing/*.test.ts'],
    // It takes long, and event-update has what it is about.
    except: ['test/api/billing/races.test.ts'],
    around: 'the service',
    break: 88,
  },
  leads: {
    mutate: ['lib/leads/**/*.ts'],
    tests: ['test/unit/{fields,leads}/**/*.test.ts', 'test/api/{leads,notes,fields}/*.test.ts'],
    // It would notice more mutants of lists, and fill a table for up to a minute with each.
    except: ['test/unit/leads/lists/any-list.test.ts'],
    around: 'the service',
    break: 85,
  },
  tokens: {
    mutate: ['lib/tokens/*.ts'],
    tests: ['test/unit/tokens/*.test.ts'],
    around: 'a table',
    break: 85,
  },
  organizations: {
    mutate: ['lib/organizations/*.ts'],
    tests: ['test/unit/organizations/*.test.ts'],
    // They ask every operation, or simulate minutes.
    except: ['test/unit/organizations/{caller,platform-keys,dear-requests,fairness}.test.ts'],
    around: 'a table',
    break: 85,
  },
  changes: {
    mutate: ['lib/changes/*.ts'],
    tests: ['test/unit/changes/*.test.ts'],
    except: ['test/unit/changes/numbering-simulation.test.ts'],
    around: 'a table',
    break: 85,
  },
  webhooks: {
    mutate: ['lib/webhooks/**/*.ts'],
    tests: ['test/unit/webhooks/**/*.test.ts'],
    except: ['test/unit/webhooks/delivery/wakes-simulation.test.ts'],
    around: 'a table',
    break: 85,
  },
  client: {
    mutate: [
      'packages/client/src/**/*.ts',
      '!packages/client/src/{schema,types}.ts',
      // It says which options there are, and is only ever started: test/tools/client does that.
      '!packages/client/src/cli/main.ts',
    ],
    tests: ['test/unit/client/**/*.test.ts'],
    // It reads thousands of values, by chance.
    except: ['test/unit/client/exact-values.test.ts'],
    around: 'nothing',
    break: 85,
  },
  'short form': {
    mutate: ['lib/operations/permissions.ts', 'lib/schema/cursor.ts'],
    tests: ['test/unit/{operations/permissions,schema/cursor}.test.ts'],
    around: 'nothing',
    break: 100,
  },
};

/** The one of which `run.js` has set the name. */
export const area = (): Area => {
  const name = process.env.MUTATED_AREA ?? '';
  const found = areas[name];
  if (!found) throw new Error(`${name} is none of ${Object.keys(areas).join(', ')}`);
  return found;
};

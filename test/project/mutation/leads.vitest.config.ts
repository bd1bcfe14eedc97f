import { inProcess } from './in-process-tests.ts';

/** The tests of leads. */
export default inProcess({
  include: [
    'test/unit/{fields,leads}/**/*.test.ts',
    'test/tools/admin/search.test.ts',
    'test/api/{leads,notes,fields}/*.test.ts',
  ],
  // They would notice more mutants of lists, and fill tables of their own for up to a minute with each.
  exclude: ['test/api/leads/engines.test.ts'],
});

import { inProcess } from './in-process-tests.ts';

/** The tests of leads. */
export default inProcess({
  include: [
    'test/unit/{batch,came-back,custom-fields,erase-content,list-moving,list-reading,list-sources,merge,united}.test.ts',
    'test/tools/admin/search.test.ts',
    'test/api/{leads,notes,fields}/*.test.ts',
  ],
  // They would notice more mutants of lists, and fill tables of their own for up to a minute with each.
  exclude: ['test/api/leads/{table,uneven-lists,many-pipelines}.test.ts'],
});

import { inProcess } from './in-process-tests.ts';

/** The tests of leads. */
export default inProcess({
  include: [
    'test/unit/{batch,came-back,custom-fields,erase-content,list-sources,united}.test.ts',
    'test/tools/admin/search.test.ts',
    'test/api/{leads,notes,fields}/*.test.ts',
  ],
  // These have tables of their own, and call nothing here.
  exclude: ['test/api/leads/{table,uneven-lists,many-pipelines}.test.ts'],
});

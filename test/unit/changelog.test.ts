import { expect, test } from 'vitest';
import { notesOf, withRelease } from '../../tools/release/changelog.ts';

const changelog = `# Changelog

## [Unreleased]

### Added

- A second thing.

## [0.1.0] - 2026-11-22

- A first thing.
`;

const released = withRelease(changelog, '0.2.0', '2026-12-01');

test('a release of the changelog puts what was unreleased under the version, and changes nothing else', () => {
  expect(released).toBe(
    changelog.replace('## [Unreleased]', '## [Unreleased]\n\n## [0.2.0] - 2026-12-01'),
  );
});

test('a release of the changelog can be read by its version, as the ones before', () => {
  expect(notesOf(released, '0.2.0')).toBe('### Added\n\n- A second thing.');
  expect(notesOf(released, '0.1.0')).toBe('- A first thing.');
});

test('a release of the changelog needs something that is unreleased', () => {
  expect(() => withRelease(released, '0.3.0', '2026-12-02')).toThrow(/has nothing under/);
});

test('a release of the changelog is not made twice', () => {
  expect(() => withRelease(changelog, '0.1.0', '2026-12-01')).toThrow(/has 0.1.0 already/);
});

test.each(['0.2.0', '0.1', 'Unreleased'])(
  'a release of the changelog has no notes for %s before',
  (version) => {
    expect(() => notesOf(changelog, version)).toThrow(/no section/);
  },
);

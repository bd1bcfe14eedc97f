import { CliError } from '@leads-and-stars/runner';

const unreleased = '## [Unreleased]';

/** A section by its heading: its place in the changelog, and the text under the heading. */
const find = (changelog: string, heading: string) => {
  const start = changelog.split('\n').findIndex((line) => line.startsWith(heading));
  if (start === -1) throw new CliError(`CHANGELOG.md has no section “${heading}”`);
  const lines = changelog.split('\n');
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  const end = length === -1 ? lines.length : start + 1 + length;
  return {
    lines,
    start,
    text: lines
      .slice(start + 1, end)
      .join('\n')
      .trim(),
  };
};

/** The text under a version's heading. Throws if the changelog has no such version. */
export const notesOf = (changelog: string, version: string): string =>
  find(changelog, `## [${version}] - `).text;

/**
 * The changelog after a release: the text under “Unreleased” is now under the version and its day (`YYYY-MM-DD`),
 * below an empty “Unreleased”. Throws if nothing is unreleased, or if the version is there already.
 */
export const withRelease = (changelog: string, version: string, day: string): string => {
  if (changelog.includes(`\n## [${version}]`))
    throw new CliError(`CHANGELOG.md has ${version} already`);
  const { lines, start, text } = find(changelog, unreleased);
  if (text === '') throw new CliError('CHANGELOG.md has nothing under “Unreleased”');
  const heading = [unreleased, '', `## [${version}] - ${day}`];
  return [...lines.slice(0, start), ...heading, ...lines.slice(start + 1)].join('\n');
};

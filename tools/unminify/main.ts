import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload, type SourceMapping } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { buildSync } from 'esbuild';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { loadOperations } from '../../infra/operations.ts';

const root = join(import.meta.dirname, '../..');

/** A place in a bundle, as V8 writes it: in AWS `/var/task/function.js:12:345`. */
const place = /(?:file:\/\/)?\/[^\s()]*\/(?:function|index)\.js:(\d+):(\d+)/;

const program = new Command('npm run --silent unminify --')
  .description(
    'Reads a log line of a function (npm run --silent unminify < line.json), and names the source files and lines ' +
      'of its stack. Check out the version that is deployed before.',
  )
  .parse();

/** The map is made anew from this checkout, as the same source gives the same bundle. */
const mapOf = (file: string): SourceMap => {
  const { outputFiles } = buildSync({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: [file],
    // Sources are named from here.
    outfile: join(root, 'function.js'),
    sourcemap: 'external',
    write: false,
  });
  const map = outputFiles.find(({ path }) => path.endsWith('.map'))!.text;
  return new SourceMap(JSON.parse(map) as SourceMapPayload);
};

const sourceFrame = (frame: string, map: SourceMap): string => {
  const [, line, column] = place.exec(frame) ?? [];
  if (line === undefined) return frame;
  const wanted = { line: Number(line) - 1, column: Number(column) - 1 };
  const entry = map.findEntry(wanted.line, wanted.column) as Partial<SourceMapping>;
  const { originalSource = '', originalLine = 0, originalColumn = 0 } = entry;
  // V8 names places where a mapping begins. In another bundle, one in five places happens to be such a place.
  if (entry.generatedLine !== wanted.line || entry.generatedColumn !== wanted.column) {
    program.error(
      `${frame.trim()} is no place in this checkout's bundle. Check out the version that is deployed, and npm ci.`,
    );
  }
  const source = readFileSync(join(root, originalSource), 'utf8').split('\n')[originalLine] ?? '';
  return `    at ${originalSource}:${originalLine + 1}:${originalColumn + 1}  ${source.trim()}`;
};

const line = JSON.parse(await text(process.stdin));
const { operation: id, cause } = line.message ?? line;
const { file } = (await loadOperations()).find(({ operation }) => operation.id === id)!;
const map = mapOf(file);
for (const frame of cause.stack.split('\n')) console.log(sourceFrame(frame, map));

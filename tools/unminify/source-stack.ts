import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload, type SourceMapping } from 'node:module';
import { join } from 'node:path';
import { CliError } from '@leads-and-stars/runner';
import { buildSync } from 'esbuild';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { loadOperations } from '../../infra/operations.ts';

const root = join(import.meta.dirname, '../..');

/** A place in a bundle, as V8 writes it: in AWS `/var/task/function.js:12:345`. */
const place = /(?:file:\/\/)?\/[^\s()]*\/(?:function|index)\.js:(\d+):(\d+)/;

/**
 * Names source files and lines in a stack of an operation's bundle, which is minified. The map is made anew from this
 * checkout, as the same source gives the same bundle. Throws a `CliError` if the stack is of another version.
 */
export const sourceStack = async (stack: string, operationId: string): Promise<string> => {
  const functionFiles = await loadOperations();
  const functionFile = functionFiles.find(({ operation }) => operation.id === operationId);
  if (!functionFile) throw new CliError(`There is no operation ${operationId} in this checkout.`);
  const frames = stack.split('\n');
  if (!frames.some((frame) => place.test(frame))) {
    throw new CliError('It has no place in a bundle, such as /var/task/function.js:12:345.');
  }
  const map = mapOf(functionFile.file);
  return frames.map((frame) => sourceFrame(frame, map, operationId)).join('\n');
};

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
  const text = outputFiles.find(({ path }) => path.endsWith('.map'))!.text;
  return new SourceMap(JSON.parse(text) as SourceMapPayload);
};

const sourceFrame = (frame: string, map: SourceMap, operationId: string): string => {
  const [, line, column] = place.exec(frame) ?? [];
  if (line === undefined) return frame;
  const wanted = { line: Number(line) - 1, column: Number(column) - 1 };
  const entry = map.findEntry(wanted.line, wanted.column) as Partial<SourceMapping>;
  const { originalSource = '', originalLine = 0, originalColumn = 0 } = entry;
  // V8 names places where a mapping begins. In another bundle, one in five places happens to be such.
  if (entry.generatedLine !== wanted.line || entry.generatedColumn !== wanted.column) {
    throw new CliError(
      `${frame.trim()} is no place in this checkout's ${operationId}. Check out the version that is deployed, and npm ci.`,
    );
  }
  const text = readFileSync(join(root, originalSource), 'utf8').split('\n')[originalLine] ?? '';
  const called = frame.includes(' async ') ? 'at async' : 'at';
  return `    ${called} ${originalSource}:${originalLine + 1}:${originalColumn + 1}  ${text.trim()}`;
};

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { bundleOptions, nameOf, startFile, startOptions } from './bundle-options.ts';
import { cacheFileOf } from './code-cache.ts';

/**
 * The functions' code: one file for each, with everything that it needs, also the SDK, and what starts it. That starts
 * faster than the runtime's own copy of the SDK, and it is the copy that the tests ran. All are built together, when the
 * first is asked for, so that shared files are read once.
 */
export class Bundles {
  readonly #files: readonly string[];
  readonly #made: string | undefined;
  readonly #caches: string | undefined;
  /** Those that got no code cache, where there are any. */
  readonly uncached: string[] = [];
  #built: Map<string, Uint8Array> | undefined;
  #start: Uint8Array | undefined;

  /**
   * Each of the `files` exports a `handler`. `made` is where somebody has bundled them just now by these options, as
   * `<name of the file>/function.js`: the runner does, who bundles them anew when they change. `caches` is a directory of
   * code caches, each named after the code that it is of.
   */
  constructor(files: readonly string[], { made, caches }: { made?: string; caches?: string }) {
    this.#files = files;
    this.#made = made;
    this.#caches = caches;
  }

  of(file: string): Code {
    return Code.fromAsset(join(import.meta.dirname, '../functions'), {
      assetHashType: AssetHashType.OUTPUT,
      bundling: {
        // The interface needs these, and nothing runs them. But CDK takes two assets with the same image
        // and command for the same one.
        image: DockerImage.fromRegistry('none'),
        command: [file],
        local: {
          tryBundle: (outputDirectory) => {
            this.#write(nameOf(file), join(outputDirectory, 'function.js'));
            this.#addCache(nameOf(file), outputDirectory);
            this.#start ??= buildStart();
            writeFileSync(join(outputDirectory, 'index.mjs'), this.#start);
            return true;
          },
        },
      },
    });
  }

  #write(name: string, target: string): void {
    if (this.#made) {
      copyFileSync(join(this.#made, name, 'function.js'), target);
      return;
    }
    this.#built ??= this.#build();
    writeFileSync(target, this.#built.get(name)!);
  }

  #addCache(name: string, directory: string): void {
    if (!this.#caches) return;
    const code = readFileSync(join(directory, 'function.js'));
    const cache = join(this.#caches, cacheFileOf(createHash('sha256').update(code).digest('hex')));
    if (existsSync(cache)) copyFileSync(cache, join(directory, 'function.cache'));
    else this.uncached.push(name);
  }

  #build(): Map<string, Uint8Array> {
    const { outputFiles } = buildSync({
      ...bundleOptions,
      entryPoints: Object.fromEntries(this.#files.map((file) => [nameOf(file), file])),
      outdir: '.',
      write: false,
    });
    return new Map(outputFiles.map(({ path, contents }) => [basename(path, '.js'), contents]));
  }
}

const buildStart = (): Uint8Array => {
  const { outputFiles } = buildSync({ ...startOptions, entryPoints: [startFile], write: false });
  return outputFiles[0]!.contents;
};

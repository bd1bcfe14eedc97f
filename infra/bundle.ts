import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { bundleOptions, nameOf } from './bundle-options.ts';

/**
 * The functions' code: one file for each, with everything that it needs, also the SDK. That starts faster than the
 * runtime's own copy of the SDK, and it is the copy that the tests ran. All are built together, when the first is asked
 * for, so that shared files are read once.
 */
export class Bundles {
  readonly #files: readonly string[];
  #built: Map<string, Uint8Array> | undefined;

  /** Each of the `files` exports a `handler`. */
  constructor(files: readonly string[]) {
    this.#files = files;
  }

  of(file: string): Code {
    return Code.fromAsset(join(import.meta.dirname, '../functions'), {
      assetHashType: AssetHashType.OUTPUT,
      bundling: {
        // The interface needs these, and nothing runs them. But CDK takes two assets with the same image and command for
        // the same asset.
        image: DockerImage.fromRegistry('none'),
        command: [file],
        local: {
          tryBundle: (outputDirectory) => {
            this.#built ??= this.#build();
            writeFileSync(join(outputDirectory, 'function.js'), this.#built.get(nameOf(file))!);
            return true;
          },
        },
      },
    });
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

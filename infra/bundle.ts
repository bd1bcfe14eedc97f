import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';

/**
 * The functions' code: of each one file with everything that it needs, the SDK included. It starts faster
 * than with the runtime's own copy, and it is the copy that the tests ran. All are built at once, when the
 * first is asked for: what they share is read once.
 */
export class Bundles {
  readonly #files: readonly string[];
  #built: Map<string, Uint8Array> | undefined;

  /** `files` export a `handler` each. */
  constructor(files: readonly string[]) {
    this.#files = files;
  }

  of(file: string): Code {
    return Code.fromAsset(join(import.meta.dirname, '../functions'), {
      assetHashType: AssetHashType.OUTPUT,
      bundling: {
        // Asked for by the interface, and never run. But CDK takes two assets with the same image and
        // command for the same one.
        image: DockerImage.fromRegistry('none'),
        command: [file],
        local: {
          tryBundle: (outputDirectory) => {
            this.#built ??= this.#build();
            writeFileSync(join(outputDirectory, 'index.js'), this.#built.get(nameOf(file))!);
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

const nameOf = (file: string): string => basename(file, '.ts');

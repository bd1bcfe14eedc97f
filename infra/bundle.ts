import { copyFileSync, writeFileSync } from 'node:fs';
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
  readonly #made: string | undefined;
  #built: Map<string, Uint8Array> | undefined;

  /**
   * Each of the `files` exports a `handler`. `made` is where somebody has bundled them just now by these options, as
   * `<name of the file>/function.js`: the runner does, who bundles them anew when they change.
   */
  constructor(files: readonly string[], made?: string) {
    this.#files = files;
    this.#made = made;
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

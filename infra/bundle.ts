import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';

/**
 * One file with everything that a function needs, the SDK included: it starts faster than with the
 * runtime's own copy, and it is the copy that the tests ran. CDK's `NodejsFunction` makes the same
 * bundle through npx, a second for each function slower.
 */
export const bundle = (file: string): Code =>
  Code.fromAsset(join(import.meta.dirname, '../functions'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Asked for by the interface, and never run. But CDK takes two assets with the same image and
      // command for the same one.
      image: DockerImage.fromRegistry('none'),
      command: [file],
      local: {
        tryBundle: (outputDirectory) => {
          buildSync({
            ...bundleOptions,
            entryPoints: [file],
            outfile: join(outputDirectory, 'index.js'),
          });
          return true;
        },
      },
    },
  });

import { Command, Option } from 'commander';
import { wholeNumber } from '../../tools/cli/whole-number.ts';
import { mostPerSecond } from './many/section.ts';

/** The command line, for the sections of these names. */
export const benchCommand = (names: readonly string[]): Command =>
  new Command('npm run bench --')
    .description(
      'Measures what calls cost and how fast they are, and writes docs/benchmarks.md: four minutes.',
    )
    .addOption(
      new Option('--only <section...>', 'measure just this, and write it anew').choices(names),
    )
    .option(
      '--rate <n>',
      'with --only wallet: just tell what one wallet makes of so many spends a second',
      wholeNumber(1, mostPerSecond),
    )
    .hook('preAction', (command) => {
      const { only, rate } = command.opts<Partial<BenchOptions>>();
      if (rate !== undefined && only?.join() !== 'wallet') {
        command.error('error: --rate goes with --only wallet');
      }
    });

export interface BenchOptions {
  only: string[];
  rate: number;
}

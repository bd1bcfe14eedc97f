import { Command } from 'commander';
import { feedIdOf } from '../../lib/changes/feed.ts';
import { examples, uuid } from './arguments.ts';
import { ExportFiles } from './export/export-files.ts';
import { exportParts } from './export/export-parts.ts';
import { print } from './output.ts';
import { expectOrganization } from './read-organization.ts';
import { openTarget } from './target.ts';

/** Lines after which progress is told. */
const toldEvery = 10_000;

export const exportWhole = new Command('export')
  .description('write all that belongs to an organization into a directory; a repeat goes on')
  .argument('<organization-id>', 'its id', uuid)
  .argument('<directory>', 'where its files go: one of NDJSON for each kind, and manifest.json')
  .addHelpText(
    'after',
    examples(
      'organization export 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11 cedro --stack LeadsAndStars',
    ),
  )
  .action(async (id: string, directory: string, _options: object, command: Command) => {
    const opened = await openTarget(command);
    await expectOrganization(opened, id);
    const table = opened.during({ deadline: Number.POSITIVE_INFINITY });
    const files = await ExportFiles.open(directory, id);
    let [lines, told] = [0, 0];
    for (const { file: name, read } of exportParts(table, id, (file) => files.pathOf(file))) {
      const file = await files.begin(name);
      if (file.isWhole) continue;
      for await (const chunk of read(file.after)) {
        await files.append(file, chunk.lines, chunk.after);
        lines += chunk.lines.length;
        if (lines - told < toldEvery) continue;
        told = lines;
        console.error(`${name}: ${file.lines} lines`);
      }
      await files.end(file);
    }
    const manifest = await files.finish({
      feed_id: feedIdOf(id),
      exported_at: new Date().toISOString(),
    });
    print({ ...manifest, read_units: table.unitsByKind.read });
  });

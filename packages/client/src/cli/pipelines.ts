import { CliError } from './cli-error.ts';
import type { Connection } from './connection.ts';

interface Wanted {
  /** The pipeline of `--pipeline`. */
  pipeline?: string | undefined;
  /** Stages that `--values` names. */
  stages: readonly string[];
}

/** Throws `CliError` for a pipeline that the organization does not have, and for stages that the pipeline does not have. */
export const assertPipeline = async (
  connection: Connection,
  { pipeline, stages }: Wanted,
): Promise<void> => {
  if (pipeline === undefined && stages.length === 0) return;
  const { data } = await connection.send((client) => client.get('/pipelines'));
  const isWanted = ({ id }: { id: string }) =>
    pipeline === undefined || id === pipeline.toLowerCase();
  const found = data.items.filter(isWanted);
  if (found.length === 0) {
    const all = data.items.map(({ id, name }) => `${id} (${name})`);
    throw new CliError(
      `--pipeline ${pipeline} is none of this organization. There are: ${all.join(', ')}.`,
    );
  }
  const known = new Set(found.flatMap((one) => one.stages.map(({ name }) => name)));
  const wrong = stages.find((stage) => stage !== '' && !known.has(stage));
  if (wrong === undefined) return;
  throw new CliError(
    `--values stage: “${wrong}” is no stage. There are: ${[...known].join(', ')}.`,
  );
};

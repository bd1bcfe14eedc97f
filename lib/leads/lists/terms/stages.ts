import type { stageOutcomes } from '../../../pipelines/pipeline.ts';
import type { Lead } from '../../lead.ts';

export type Outcome = (typeof stageOutcomes)[number];

type StageRef = Pick<Lead, 'pipeline_id' | 'stage'>;

/** Stages, each of one pipeline. */
export class Stages {
  readonly refs: readonly StageRef[];
  readonly #names: ReadonlySet<string>;

  constructor(refs: readonly StageRef[]) {
    this.refs = refs;
    this.#names = new Set(refs.map(nameOf));
  }

  has(lead: StageRef): boolean {
    return this.#names.has(nameOf(lead));
  }
}

const nameOf = ({ pipeline_id, stage }: StageRef): string => `${pipeline_id} ${stage}`;

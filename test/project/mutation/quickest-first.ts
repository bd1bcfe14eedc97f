import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts the files that took least first: a run of a mutant ends with the first test that notices it. */
export class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const took = (file: TestSpecification): number =>
      this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
    return [...files].sort((a, b) => took(a) - took(b));
  }
}

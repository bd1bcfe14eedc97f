import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';
import { createService } from '../../infra/service-stack.ts';

// The stack, synthesized in this process and without bundles: that takes a quarter of a second, and
// `npx cdk synth` ten. The bundles themselves are those of the service that the other tests run.

const project = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
const sources = await loadOperations();

const outdir = mkdtempSync(join(tmpdir(), 'leads-and-stars-stack-'));
afterAll(() => rmSync(outdir, { recursive: true }));

/** An empty app with these options, each as in `-c name=value`, and those of `cdk.json`. */
export const emptyApp = (options: Record<string, string> = {}): App => {
  // The CDK would hold each template against the schemas: `template.test.ts` does.
  process.env.CDK_VALIDATION = 'false';
  const context = { ...project.context, ...options, 'aws:cdk:bundling-stacks': [] };
  return new App({ outdir, context });
};

/** The app with the service's stack in it, not yet synthesized. */
export const serviceApp = (options?: Record<string, string>): App => {
  const app = emptyApp(options);
  createService(app, sources);
  return app;
};

/** The file of the template that these options make. The next one with this stack name replaces it. */
export const templateFile = (options?: Record<string, string>): string => {
  const [stack] = serviceApp(options).synth().stacks;
  return stack!.templateFullPath;
};

/** The template that these options make. */
export const synthesized = (options?: Record<string, string>): Template =>
  Template.fromJSON(JSON.parse(readFileSync(templateFile(options), 'utf8')));

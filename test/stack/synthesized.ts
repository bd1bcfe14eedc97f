import { mkdtempSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { inject } from 'vitest';
import { readDeployment } from '../../infra/deployment.ts';
import { type FunctionFile, loadOperations } from '../../infra/operations.ts';
import type { StackOptions } from '../../infra/options.ts';
import { ServiceStack } from '../../infra/service-stack.ts';

// The stack, synthesized in this process and without bundles: that takes a quarter of a second, and
// `npx cdk synth` ten. The bundles themselves are those of the service that the other tests run.

const project = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
const sources = await loadOperations();

/** In the directory of the running service, with which it goes. All files of tests in a process share it. */
export const outdir = mkdtempSync(join(dirname(inject('service').logFile), 'stack-'));

/** What `cdk.json` sets of the CDK itself. It may name a deployment, too: that is not the one of the tests. */
const settingsIn = (context: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(context).filter(([name]) => !/^\w+$/.test(name)));

/** Options as in a deployment's file, and the deployment's name. */
export type Given = StackOptions & { deployment?: string };

/** An empty app with these options, and the settings of `cdk.json`. */
export const emptyApp = ({ deployment = 'default', ...options }: Given = {}): App => {
  // The CDK would hold each template against the schemas: `template.test.ts` does.
  process.env.CDK_VALIDATION = 'false';
  const context = {
    ...settingsIn(project.context),
    deployment,
    'runner:options': JSON.stringify(options),
    'aws:cdk:bundling-stacks': [],
  };
  // Neither is in the template.
  return new App({ outdir, context, treeMetadata: false, stackTraces: false });
};

/** The app with the service's stack in it, not yet synthesized. It can have `more` functions. */
export const serviceApp = (options?: Given, more: readonly FunctionFile[] = []): App => {
  const app = emptyApp(options);
  new ServiceStack(app, readDeployment(app), [...sources, ...more]);
  return app;
};

/** The file of the template that these options make. The next one with this stack name replaces it. */
export const templateFile = (options?: Given, more?: readonly FunctionFile[]): string => {
  const [stack] = serviceApp(options, more).synth().stacks;
  return stack!.templateFullPath;
};

const templates = new Map<string, Template>();

/** The template that these options make. */
export const synthesized = (options: Given = {}): Template => {
  const key = JSON.stringify(options);
  const template =
    templates.get(key) ??
    Template.fromJSON(JSON.parse(readFileSync(templateFile(options), 'utf8')));
  templates.set(key, template);
  return template;
};

// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
export type Json = any;

export const integrationName = 'x-amazon-apigateway-integration';
export const refusalsName = 'x-amazon-apigateway-gateway-responses';

/** The document from which API Gateway makes the one API. */
export const apiBody = (options?: Given): Json => {
  const apis = Object.values(synthesized(options).findResources('AWS::ApiGateway::RestApi'));
  if (apis.length !== 1) throw new Error(`there are ${apis.length} APIs`);
  return apis[0]!.Properties.Body;
};

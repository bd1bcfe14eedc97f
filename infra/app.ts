import { App, Validations } from 'aws-cdk-lib';
import { loadOperations } from './operations.ts';
import { createService } from './service-stack.ts';

// What `cdk synth` and `cdk deploy` run, and the runner, which leaves out what checks the template.
const app = new App();
createService(app, await loadOperations());
if (process.env.CDK_VALIDATION !== 'false') {
  const { AwsSolutionsChecks } = await import('cdk-nag');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
app.synth();

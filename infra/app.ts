import { App, Validations } from 'aws-cdk-lib';
import { readDeployment } from './deployment.ts';
import { loadOperations } from './operations.ts';
import { OptionError } from './options.ts';
import { ServiceStack } from './service-stack.ts';

// The app that `cdk synth` and `cdk deploy` run; the runner does, too, without the checks of the template.
const app = new App();
try {
  new ServiceStack(app, readDeployment(app), await loadOperations());
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  console.error(error.message);
  process.exit(1);
}
if (process.env.CDK_VALIDATION !== 'false') {
  const { AwsSolutionsChecks } = await import('cdk-nag');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
app.synth();

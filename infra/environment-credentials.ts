// In place of `@aws-sdk/credential-provider-node` in the functions' bundles: Lambda gives credentials in
// the environment and nowhere else. To look for them in files, logins and containers is only more code to load.
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';

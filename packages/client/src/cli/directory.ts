import { CliError } from './cli-error.ts';

/**
 * Goes to the directory where the person is, which files are relative to: npm starts `npm run leads`, and `npx` with a workspace,
 * in a package’s directory. A script of another name says files as that directory has them. Throws `CliError`.
 */
export const goToCaller = (environment: NodeJS.ProcessEnv = process.env): void => {
  const { INIT_CWD: directory, npm_lifecycle_event: script = 'leads' } = environment;
  if (!directory || !['leads', 'npx'].includes(script)) return;
  try {
    process.chdir(directory);
  } catch (error) {
    throw new CliError(`The directory ${directory} can’t be used: ${(error as Error).message}`);
  }
};

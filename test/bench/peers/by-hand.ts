export { createLead as handler } from './raw.ts';

// `Date` of this process, ahead of the machine's clock or behind it.

const MachineDate = globalThis.Date;
let shift = 0;

/** Milliseconds by which `Date` is ahead of the machine's clock. */
export const shiftMs = (): number => shift;

/** The machine's time, in milliseconds since the epoch. */
export const machineNow = (): number => MachineDate.now();

const now = (): number => MachineDate.now() + shift;

const Shifted = new Proxy(MachineDate, {
  apply: () => new MachineDate(now()).toString(),
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});

/** Puts `Date` some milliseconds ahead of the machine's clock; 0 gives back the machine's own. */
export const shiftDate = (milliseconds: number): void => {
  shift = milliseconds;
  globalThis.Date = milliseconds === 0 ? MachineDate : Shifted;
};

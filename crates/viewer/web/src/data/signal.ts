// A value that notifies its watchers when it changes.

export class Signal<T> {
  private watchers: ((value: T) => void)[] = [];

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(next: T) {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const watcher of this.watchers) watcher(next);
  }

  /** Calls now and at each change. */
  watch(watcher: (value: T) => void): void {
    this.watchers.push(watcher);
    watcher(this.current);
  }
}

/** Typed events: who listens is told in the order of listening. */
export class Emitter<Events extends object> {
  private listeners: { [K in keyof Events]?: ((value: Events[K]) => void)[] } = {};

  /** Returns what ends the listening. */
  on<K extends keyof Events>(name: K, listener: (value: Events[K]) => void): () => void {
    const list = (this.listeners[name] ??= []);
    list.push(listener);
    return () => {
      const i = list.indexOf(listener);
      if (i >= 0) list.splice(i, 1);
    };
  }

  protected emit<K extends keyof Events>(name: K, value: Events[K]): void {
    for (const listener of this.listeners[name] ?? []) {
      try {
        listener(value);
      } catch (error) {
        // One part that fails must not keep the others from hearing.
        console.error(error);
      }
    }
  }
}

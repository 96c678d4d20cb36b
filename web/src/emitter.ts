/** Typed events: listeners are called in the order in which they were added. */
export class Emitter<Events extends object> {
  private listeners: { [K in keyof Events]?: ((value: Events[K]) => void)[] } = {};

  /** Returns a function that removes the listener. */
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
        // A listener that fails must not keep the others from being called.
        console.error(error);
      }
    }
  }
}

/** The settings of an image, as the Dockerfile has them, in the form of the OCI image specification. */

/** `config` of an image configuration. */
export interface ImageSettings {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Reads the last stage of a Dockerfile. HEALTHCHECK has no place in the specification.
 * @throws Error when an instruction is missing
 */
export function imageSettings(dockerfile: string): ImageSettings {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM ')).replaceAll('\\\n', ' ');
  const instructions = stage.split('\n').map(line => /^([A-Z]+) (.*)$/.exec(line.trim()));
  const all = (name: string) => instructions.flatMap(found => (found?.[1] === name ? [found[2] ?? ''] : []));
  const one = (name: string): string => {
    const [value] = all(name);
    if (value === undefined) throw new Error(`the Dockerfile has no ${name}`);
    return value;
  };
  const none = (names: readonly string[], suffix = '') => Object.fromEntries(names.map(name => [name + suffix, {}]));
  return {
    User: one('USER'),
    Env: pairsOf(one('ENV')).map(([name, value]) => `${name}=${value.replace('$PATH', PATH)}`),
    Entrypoint: JSON.parse(one('ENTRYPOINT')),
    Cmd: JSON.parse(one('CMD')),
    WorkingDir: one('WORKDIR'),
    StopSignal: one('STOPSIGNAL'),
    ExposedPorts: none(one('EXPOSE').split(' '), '/tcp'),
    Volumes: none(all('VOLUME')),
    Labels: Object.fromEntries(pairsOf(one('LABEL'))),
  };
}

/** `A=b C="d e"`. */
const pairsOf = (text: string): (readonly [string, string])[] =>
  Array.from(text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g), ([, name = '', quoted, plain = '']) => [
    name,
    quoted ?? plain,
  ]);

/** The Dockerfile of a release, which builds the image from the tarballs beside it: the Dockerfile of the checkout with another origin of its files. */

const COPIES = /^COPY .*\n/gm;
/** The last stage. */
const BASE = /^FROM (?!.* AS )\S+$/m;
/** The stage before the last one. */
const DEPENDENCIES = /^FROM [\s\S]*?(?=^FROM (?!.* AS ))/m;

/**
 * @param dockerfile that of the checkout
 * @param version of the tarballs
 * @throws Error for a Dockerfile of another form
 */
export function releaseDockerfile(dockerfile: string, version: string): string {
  const settings = dockerfile.slice(dockerfile.search(DEPENDENCIES)).replace(DEPENDENCIES, '');
  if (!BASE.test(settings) || !settings.includes('\nCOPY ') || !settings.includes('PATH=/app/bin:$PATH'))
    throw new Error('the Dockerfile has another form than this program knows');
  const image = settings
    .replace(BASE, `FROM \${BASE}`)
    .replace('PATH=/app/bin:$PATH', 'PATH=/app/bin:/app/runtime:$PATH')
    .replace(COPIES, '')
    .replace(/^WORKDIR \/app$/m, 'WORKDIR /app\nCOPY --from=unpacked /app /app');
  return `# The image of release ${version}, from its tarballs for Linux beside this file.
#
#     docker build --build-arg BASE=debian:trixie-slim@sha256:DIGEST --tag stacks-index:${version} .
#
# BASE is a system with glibc 2.28 or later and a shell. Name it by digest: a tag moves.
ARG BASE
# Every builder can do this; only some know a variable in the name of a stage.
FROM \${BASE} AS unpacked
ADD stacks-index-${version}-linux-*.tar.gz /
RUN case $(uname -m) in x86_64) kind=x64 ;; aarch64) kind=arm64 ;; esac && mv "/stacks-index-${version}-linux-$kind" /app

${image}`;
}

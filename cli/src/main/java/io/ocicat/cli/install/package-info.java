/** Installs the distribution where container runtimes find it, and removes exactly that again. */
@NullMarked
package io.ocicat.cli.install;

import org.jspecify.annotations.NullMarked;

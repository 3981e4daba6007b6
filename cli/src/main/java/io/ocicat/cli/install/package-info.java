/**
 * Puts the distribution where container runtimes look for it, and takes exactly that away again.
 */
@NullMarked
package io.ocicat.cli.install;

import org.jspecify.annotations.NullMarked;

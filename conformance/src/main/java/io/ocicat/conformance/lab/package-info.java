/**
 * Where plugins are tried: namespaces that stand for a host and its containers, directories of
 * their own, calls and what came of them, and a transcript that a shell can repeat.
 */
@NullMarked
package io.ocicat.conformance.lab;

import org.jspecify.annotations.NullMarked;

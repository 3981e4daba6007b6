/**
 * What the tests of several modules share: hosts as network namespaces, commands, seeded
 * randomness.
 */
@NullMarked
package io.ocicat.testkit;

import org.jspecify.annotations.NullMarked;

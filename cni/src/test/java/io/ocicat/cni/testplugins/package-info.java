/** Plugins that do what a test tells them, as real executables or in this JVM. */
@NullMarked
package io.ocicat.cni.testplugins;

import org.jspecify.annotations.NullMarked;

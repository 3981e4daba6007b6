@NullMarked
package io.ocicat.cni.runtime;

import org.jspecify.annotations.NullMarked;

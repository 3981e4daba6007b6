@NullMarked
package io.ocicat.cni.exec;

import org.jspecify.annotations.NullMarked;

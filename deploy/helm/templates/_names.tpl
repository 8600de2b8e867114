{{/* The start of all names. It leaves room for the longest ending, and for what controllers add. */}}
{{- define "causeway.fullname" -}}
{{- $named := .Values.fullnameOverride | default (ternary .Release.Name (printf "%s-causeway" .Release.Name) (contains "causeway" .Release.Name)) -}}
{{- $named | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "causeway.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "causeway.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end }}

{{- define "causeway.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Labels that never change, because selectors of Deployments cannot. Takes (list root role). */}}
{{- define "causeway.selector" -}}
app.kubernetes.io/name: causeway
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "causeway.labels" -}}
{{ include "causeway.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" }}
{{- end }}
